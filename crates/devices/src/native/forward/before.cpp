#include <stdint.h>
#include <stdio.h>
namespace ktwin_entry {
// bytes of a number, 0 of anything else, and whether it has a fraction
template <class T> struct number { static const unsigned bytes = 0; static const bool real = false; };
template <class T> struct number<const T> : number<T> {};
template <class T> struct number<volatile T> : number<T> {};
#define KTWIN_NUMBER(T, R) \
    template <> struct number<T> { static const unsigned bytes = sizeof(T); static const bool real = R; };
KTWIN_NUMBER(float, true) KTWIN_NUMBER(double, true) KTWIN_NUMBER(bool, false)
KTWIN_NUMBER(char, false) KTWIN_NUMBER(signed char, false) KTWIN_NUMBER(unsigned char, false)
KTWIN_NUMBER(short, false) KTWIN_NUMBER(unsigned short, false) KTWIN_NUMBER(int, false)
KTWIN_NUMBER(unsigned, false) KTWIN_NUMBER(long, false) KTWIN_NUMBER(unsigned long, false)
KTWIN_NUMBER(long long, false) KTWIN_NUMBER(unsigned long long, false)
#undef KTWIN_NUMBER

inline void other_length(unsigned long made, unsigned long bytes) {
    fprintf(stderr, "the function makes %lu bytes where the tensor has %lu\n", made, bytes);
    __builtin_trap();
}

template <class T, unsigned B> T *elements(void *at) {
    static_assert(number<T>::bytes <= 1 || B == 0 || number<T>::bytes == B,
                  "a parameter's elements are not as wide as the tensor's: compare `types`");
    static_assert(__is_trivially_copyable(T), "a parameter's elements cannot be copied byte by byte");
    return static_cast<T *>(at);
}

// a tensor: a pointer, a reference to a number or an array, or what is made of a pointer and a length (std::span) or of
// where elements begin and end (std::vector)
template <class...> struct all { typedef void type; };
template <class P, unsigned B, class = void> struct buffer {
    static P of(void *at, unsigned long bytes) {
        typedef typename P::value_type T;
        return P(elements<T, B>(at), elements<T, B>(at) + bytes / sizeof(T));
    }
};
template <class P, unsigned B> struct buffer<P, B, typename all<typename P::element_type>::type> {
    static P of(void *at, unsigned long bytes) {
        typedef typename P::element_type T;
        return P(elements<T, B>(at), bytes / sizeof(T));
    }
};
template <class T, unsigned B> struct buffer<T *, B> {
    static T *of(void *at, unsigned long) { return elements<T, B>(at); }
};
template <unsigned B> struct buffer<void *, B> { static void *of(void *at, unsigned long) { return at; } };
template <unsigned B> struct buffer<const void *, B> { static void *of(void *at, unsigned long) { return at; } };
template <class T, unsigned B> struct buffer<T *const, B> : buffer<T *, B> {};
template <class T, unsigned B, bool CLASS> struct referred {
    static T &of(void *at, unsigned long) { return *elements<T, B>(at); }
};
// what a function writes to a container of its own goes back when the call is over
template <class T> struct back {
    T held; void *at; unsigned long bytes;
    operator T &() { return held; }
    ~back() {
        typedef typename T::value_type V;
        if (held.size() * sizeof(V) != bytes) other_length(held.size() * sizeof(V), bytes);
        // an input that is not `const` may be where nobody may write
        for (unsigned long i = 0; i < held.size(); i++) {
            const V now = held[i];
            if (__builtin_memcmp(&now, static_cast<V *>(at) + i, sizeof(V))) static_cast<V *>(at)[i] = now;
        }
    }
};
template <class T, unsigned B> struct referred<const T, B, true> : buffer<T, B> {};
template <class T, unsigned B> struct referred<T, B, true> {
    static back<T> of(void *at, unsigned long bytes) { return back<T>{buffer<T, B>::of(at, bytes), at, bytes}; }
};
template <class T, unsigned B> struct buffer<T &, B> : referred<T, B, __is_class(T)> {};

// a value: a number out of a number, a struct out of one as long
template <class P, class W, bool NUMBER> struct made {
    static P of(void *at) {
        static_assert(sizeof(P) == sizeof(W), "a struct is not as long as what `args` says");
        static_assert(!__is_class(P) || __is_trivially_copyable(P), "a struct cannot be copied byte by byte");
        return *static_cast<P *>(at);
    }
};
template <class P, class W> struct made<P, W, true> {
    static P of(void *at) {
        static_assert(number<P>::real == number<W>::real, "a number has a fraction, and its value in `args` has none");
        return static_cast<P>(*static_cast<W *>(at));
    }
};
template <class P, class W> struct value : made<P, W, number<P>::bytes != 0 && number<W>::bytes != 0> {};
template <class P, class W> struct value<const P, W> : value<P, W> {};
template <class P, class W> struct value<P &, W> : value<P, W> {};
template <class T, class W> struct value<T *, W> {
    static_assert(sizeof(T) == 0, "a parameter is a pointer where `args` has a value");
};

// what a function returns: a number, or a container of them
template <class T, class R, bool NUMBER> struct kept {
    static void of(const R &made, void *at, unsigned long) { *static_cast<T *>(at) = static_cast<T>(made); }
};
template <class T, class R> struct kept<T, R, false> {
    static void of(const R &made, void *at, unsigned long bytes) {
        static_assert(sizeof(T) == sizeof(made[0]), "what the function returns is not as wide as the tensor");
        if (made.size() * sizeof(T) != bytes) other_length(made.size() * sizeof(T), bytes);
        for (unsigned long i = 0; i < made.size(); i++) static_cast<T *>(at)[i] = made[i];
    }
};
template <class T, class R> void keep(const R &made, void *at, unsigned long bytes) {
    kept<T, R, number<R>::bytes != 0>::of(made, at, bytes);
}

// one of several functions of a name
template <class... P> struct pick {
    template <class R> static auto of(R (*f)(P...)) -> R (*)(P...) { return f; }
};
}
