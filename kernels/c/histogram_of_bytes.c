/*--- ktwin
op     = "histogram"
types  = { x = "u8", y = "i32" }
args   = ["x", "y", { N = "i32" }]
fix    = { B = 256 }
---*/
// A place for each of the values that a byte may have.
void histogram_of_bytes(const unsigned char *x, int *y, int n)
{
    for (int value = 0; value < 256; value++)
        y[value] = 0;
    for (int i = 0; i < n; i++)
        y[x[i]]++;
}
