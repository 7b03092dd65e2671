// Lanes of one warp take a lock one after the other: those that spin must not keep the holder from going on.
extern "C" __global__ void spin_lock(int *lock, volatile int *total) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *total = *total + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
extern "C" __global__ void spin_outside(int *lock, volatile int *total) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total = *total + 1;
    __threadfence();
    atomicExch(lock, 0);
}
