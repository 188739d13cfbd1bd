/* Bytes of run and qrels files: where the white space is, what number a field holds, a keyed hash of an id.
 *
 * Plain C99 without allocation but for one fallback. Callers own all buffers; every buffer that is read here is readable
 * for TK_SLACK bytes behind its end. tests/test_scan.py holds each function to a naive form.
 */
#ifndef TRECKON_SCAN_H
#define TRECKON_SCAN_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>
#else
#include <locale.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#if defined(TK_NO_VECTORS)  /* benchmarks/vectors.py compares the two */
#elif defined(__SSE2__) || defined(_M_X64)
#define TK_SSE2
#include <emmintrin.h>
#elif defined(__aarch64__)
#define TK_NEON
#include <arm_neon.h>
#endif

#define TK_SLACK 64

/* ---- the machine ---------------------------------------------------------------------------------------------- */

#if defined(__GNUC__) || defined(__clang__)
#define TK_CTZ(x) ((unsigned)__builtin_ctzll(x))
#define TK_CLZ(x) ((unsigned)__builtin_clzll(x))
#define TK_UNLIKELY(x) __builtin_expect(!!(x), 0)
static inline void tk_prefetch(const void *place) { __builtin_prefetch(place); }
static inline unsigned char tk_exchange(unsigned char *place, unsigned char value) {
    return __atomic_exchange_n(place, value, __ATOMIC_RELAXED);
}
#else
static inline unsigned TK_CTZ(uint64_t x) { unsigned long i; _BitScanForward64(&i, x); return (unsigned)i; }
static inline unsigned TK_CLZ(uint64_t x) { unsigned long i; _BitScanReverse64(&i, x); return 63u - (unsigned)i; }
#define TK_UNLIKELY(x) (x)
static inline void tk_prefetch(const void *place) { (void)place; }
static inline unsigned char tk_exchange(unsigned char *place, unsigned char value) {
    return (unsigned char)_InterlockedExchange8((volatile char *)place, (char)value);
}
#endif

/* The 128-bit product of a and b. */
static inline uint64_t tk_multiply(uint64_t a, uint64_t b, uint64_t *low) {
#if defined(_MSC_VER)
    uint64_t high;
    *low = _umul128(a, b, &high);
    return high;
#else
    const unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#endif
}

static inline uint64_t tk_load8(const char *p) { uint64_t x; memcpy(&x, p, 8); return x; }
static inline uint32_t tk_load4(const char *p) { uint32_t x; memcpy(&x, p, 4); return x; }

/* At most `n` bytes of file `fd` from `offset`: the number read, 0 at the end, -1 with errno. */
static inline int64_t tk_read_at(int fd, char *buffer, size_t n, int64_t offset) {
#if defined(_WIN32)
    if (_lseeki64(fd, offset, SEEK_SET) < 0) return -1;
    return _read(fd, buffer, (unsigned)n);
#else
    ssize_t got;
    do got = pread(fd, buffer, n, (off_t)offset); while (got < 0 && errno == EINTR);
    return (int64_t)got;
#endif
}

/* ---- white space ---------------------------------------------------------------------------------------------- */

/* White space is the C locale's: space, TAB, LF, VT, FF, CR. */
static inline int tk_is_blank(unsigned char c) { return c == ' ' || (unsigned char)(c - 9) < 5; }

/* The bits of those of 64 bytes that are no greater than a space: all white space is among them, and what else is ends
 * the quick way. */
static inline uint64_t tk_low_bytes(const char *p) {
#if defined(TK_SSE2)
    const __m128i space = _mm_set1_epi8(' ');
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(p + 16 * i));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(x, space), x)) << (16 * i);
    }
    return bits;
#elif defined(TK_NEON)
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weight = vld1q_u8(weights);
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) {
        const uint8x16_t low = vandq_u8(vcleq_u8(vld1q_u8((const uint8_t *)p + 16 * i), vdupq_n_u8(' ')), weight);
        const uint64_t two = (uint64_t)vaddv_u8(vget_low_u8(low)) | (uint64_t)vaddv_u8(vget_high_u8(low)) << 8;
        bits |= two << (16 * i);
    }
    return bits;
#else
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)((unsigned char)p[i] <= ' ') << i;
    return bits;
#endif
}

/* The fields of a regular line from its document id on: where each ends, and the line's LF. */
typedef struct { uint32_t end[4]; uint32_t line_end; } tk_tail_t;

/* Whether `n` fields follow at p (2 or 4), each with one white space `blank` behind it and LF or CR LF behind the last,
 * all within 64 bytes. Those 64 bytes are readable. */
static inline int tk_tail(const char *p, const int n, const char blank, tk_tail_t *tail) {
    const uint64_t low = tk_low_bytes(p);
    uint64_t rest = low;
    int regular = 1;
    for (int i = 0; i < n - 1; i++, rest &= rest - 1) {
        tail->end[i] = TK_CTZ(rest | (uint64_t)1 << 63);
        regular &= p[tail->end[i]] == blank;
    }
    const uint32_t last = tail->end[n - 1] = TK_CTZ(rest | (uint64_t)1 << 63);
    tail->line_end = last + (p[last] == '\r');
    /* A field is empty where two low bytes are neighbours, or the first byte is one. */
    const uint64_t empty = (low & (low << 1 | 1)) << (63 - last);
    return regular & (empty == 0) & (p[tail->line_end] == '\n');
}

/* Whether the n bytes at a and b are the same; both are readable for 16 bytes. */
static inline int tk_same_start(const char *a, const char *b, size_t n) {
#if defined(TK_SSE2)
    if (n <= 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
        return (~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) & (uint32_t)((1u << n) - 1)) == 0;
    }
#endif
    return memcmp(a, b, n) == 0;
}

/* ---- ids ------------------------------------------------------------------------------------------------------ */

/* Ids come from strangers, so the hash is keyed: who doesn't know the four random words can't make ids collide. */
typedef struct { uint64_t word[4]; } tk_key_t;

static inline uint64_t tk_fold(uint64_t a, uint64_t b) {
    uint64_t low;
    const uint64_t high = tk_multiply(a, b, &low);
    return high ^ low;
}

static inline uint64_t tk_hash(const char *p, size_t n, const tk_key_t *key) {
    uint64_t a, b, seed = key->word[0] ^ (uint64_t)n;
    size_t left = n;
    for (; left > 16; left -= 16, p += 16)
        seed = tk_fold(tk_load8(p) ^ key->word[1], tk_load8(p + 8) ^ seed);
    if (left >= 8) { a = tk_load8(p); b = tk_load8(p + left - 8); }
    else if (left >= 4) { a = tk_load4(p); b = tk_load4(p + left - 4); }
    else if (left > 0) {
        a = (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[left >> 1] << 8 | (unsigned char)p[left - 1];
        b = 0;
    } else a = b = 0;
    return tk_fold(key->word[3] ^ tk_fold(a ^ key->word[1], b ^ seed), key->word[2]);
}

static inline int tk_same(const char *a, size_t n_a, const char *b, size_t n_b) {
    return n_a == n_b && memcmp(a, b, n_a) == 0;
}

/* The same for ids that are readable for 8 bytes whatever their length, as all text in a scanner's buffer is. */
static inline int tk_same_padded(const char *a, size_t n_a, const char *b, size_t n_b) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (n_a != n_b) return 0;
    if (n_a - 1 < 8) return (tk_load8(a) ^ tk_load8(b)) << (64 - 8 * n_a) == 0;
#endif
    return tk_same(a, n_a, b, n_b);
}

/* Byte order, a prefix before what it starts: below, at or above 0. */
static inline int tk_compare(const char *a, size_t n_a, const char *b, size_t n_b) {
    const int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* Powers of five as 128-bit significands (Lemire, "Number parsing at a gigabyte per second", SP&E 2021), filled at
 * import from exact integers by numbers.pyx. */
#define TK_LOWEST_POWER (-65)
#define TK_HIGHEST_POWER 65
typedef struct { uint64_t high, low; } tk_power_t;
typedef struct {
    tk_power_t power[TK_HIGHEST_POWER - TK_LOWEST_POWER + 1];
#if defined(_WIN32)
    _locale_t c_locale;
#else
    locale_t c_locale;  /* strtod must not see the program's locale */
#endif
} tk_numbers_t;

static inline void tk_set_locale(tk_numbers_t *numbers) {
#if defined(_WIN32)
    numbers->c_locale = _create_locale(LC_ALL, "C");
#else
    numbers->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
#endif
}

/* digits * 10^exponent, correctly rounded: 1; or 0 where this way can't tell. digits > 0. */
static inline int tk_scale(const tk_numbers_t *numbers, uint64_t digits, int exponent, double *value) {
    if (exponent < TK_LOWEST_POWER || exponent > TK_HIGHEST_POWER) return 0;
    const tk_power_t *power = &numbers->power[exponent - TK_LOWEST_POWER];
    const int shift = (int)TK_CLZ(digits);
    uint64_t low, high = tk_multiply(digits << shift, power->high, &low);
    if ((high & 0x1FF) == 0x1FF) {  /* the 9 bits below the result are all ones: the lower half of the power decides */
        uint64_t unused;
        const uint64_t carry = tk_multiply(digits << shift, power->low, &unused);
        low += carry;
        high += low < carry;
    }
    if (low == ~(uint64_t)0 && (exponent < -27 || exponent > 55)) return 0;
    const int top = (int)(high >> 63);
    uint64_t mantissa = high >> (top + 9);
    int64_t binary = ((int64_t)(152170 + 65536) * exponent >> 16) + 63 + top - shift + 1023;
    /* Exactly half-way: round to even. Only these exponents make the product exact. */
    if (low <= 1 && exponent >= -4 && exponent <= 23 && (mantissa & 3) == 1 && mantissa << (top + 9) == high)
        mantissa &= ~(uint64_t)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >= (uint64_t)1 << 53) { mantissa = (uint64_t)1 << 52; binary++; }
    const uint64_t bits = (mantissa & (((uint64_t)1 << 52) - 1)) | (uint64_t)binary << 52;
    memcpy(value, &bits, 8);
    return 1;
}

/* C's strtod in the C locale on text[0..n): decimal, exponent, hexadecimal, inf, nan. Returns the bytes used. */
static inline size_t tk_strtod(const tk_numbers_t *numbers, const char *text, size_t n, double *value) {
    char fixed[128], *copy = n < sizeof fixed ? fixed : (char *)malloc(n + 1), *end;
    *value = 0.0;
    if (copy == NULL) return 0;
    memcpy(copy, text, n);
    copy[n] = 0;
#if defined(_WIN32)
    *value = _strtod_l(copy, &end, numbers->c_locale);
#else
    *value = strtod_l(copy, &end, numbers->c_locale);
#endif
    const size_t used = (size_t)(end - copy);
    if (copy != fixed) free(copy);
    return used;
}

/* The value of eight bytes whose low halves are digits; zero bytes count as zeros. */
static inline uint64_t tk_eight_digits(uint64_t x) {
    x = (x & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
    x = (x & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
    return (x & 0x0000FFFF0000FFFFu) * 42949672960001 >> 32;
}

/* The top bit of each byte that is no digit; of the bytes above the lowest such byte, some may be wrong. */
static inline uint64_t tk_no_digits(uint64_t x) {
    return ((x + 0x4646464646464646u) | (x - 0x3030303030303030u)) & 0x8080808080808080u;
}

/* The digits from p on, appended to *value; returns their end. The 8 bytes behind `end` are readable. More than 19
 * digits overflow: the caller counts them. Eight bytes at a time, and no branch on where among them the digits end. */
static inline const char *tk_digits(const char *p, const char *end, uint64_t *value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint64_t power[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (p < end) {
        const uint64_t x = tk_load8(p);
        const uint64_t other = tk_no_digits(x);
        size_t n = other ? TK_CTZ(other) >> 3 : 8;
        if (n > (size_t)(end - p)) n = (size_t)(end - p);
        if (n == 0) break;
        *value = *value * power[n] + tk_eight_digits(x << (64 - 8 * n));
        p += n;
        if (n < 8) break;
    }
    return p;
#else
    for (; p < end && (unsigned char)(*p - '0') < 10; p++) *value = *value * 10 + (unsigned char)(*p - '0');
    return p;
#endif
}

static const uint64_t tk_power_of_ten[20] = {
    1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u, 100000000000u,
    1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u, 10000000000000000u, 100000000000000000u,
    1000000000000000000u, 10000000000000000000u,
};

/* The value of the n digits before `end`, 1 to 16, and 1; 0 where they are no digits. 16 bytes before `end` are
 * readable. */
static inline int tk_last_digits(const char *end, size_t n, uint64_t *value) {
#if defined(TK_SSE2)
    /* Two digits of a byte each become one of 16 bits, two of these one of 32, two of these one of 64. */
    static const uint8_t keep[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    const __m128i text = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(end - 16)), _mm_set1_epi8('0'));
    const __m128i digits = _mm_and_si128(text, _mm_loadu_si128((const __m128i *)(keep + n)));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    const __m128i tens = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(255)), _mm_set1_epi16(10));
    const __m128i twos = _mm_add_epi16(tens, _mm_srli_epi16(digits, 8));
    const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
    const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
    const uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    *value = (both & 0xFFFFFFFFu) * 100000000u + (both >> 32);
    return _mm_movemask_epi8(is_digit) == 0xFFFF;
#else
    uint64_t v = 0;
    int good = 1;
    for (const char *p = end - n; p < end; p++) {
        const uint64_t digit = (unsigned char)(*p - '0');
        good &= digit < 10;
        v = v * 10 + digit;
    }
    *value = v;
    return good;
#endif
}

/* Where text[0..n) is up to three digits, a point and up to 19 digits, as nearly all scores are: its value, and 1. Else
 * 0. 16 bytes before its end, and behind it, are readable. */
static inline int tk_plain_real(const tk_numbers_t *numbers, const char *text, size_t n, double *value) {
    const size_t negative = *text == '-';
    const char *p = text + negative;
    const size_t whole = p[1] == '.' ? 1 : p[2] == '.' ? 2 : 3;
    const size_t fraction = n - negative - whole - 1;
    if (p[whole] != '.' || fraction - 1 > 18 || whole + fraction - (*p == '0') > 19) return 0;
    uint64_t digits = 0, rest, wrong = 0;
    size_t last = fraction;
    for (const char *end = p + whole; p < end; p++) {
        const uint64_t digit = (unsigned char)(*p - '0');
        wrong |= digit > 9;
        digits = digits * 10 + digit;
    }
    for (p++; last > 16; last--, p++) {
        const uint64_t digit = (unsigned char)(*p - '0');
        wrong |= digit > 9;
        digits = digits * 10 + digit;
    }
    if (!tk_last_digits(text + n, last, &rest) || wrong) return 0;
    digits = digits * tk_power_of_ten[last] + rest;
    if (digits == 0) *value = 0.0;
    else if (!tk_scale(numbers, digits, -(int)fraction, value)) return 0;
    if (negative) *value = -*value;
    return 1;
}

/* The number that text[0..n) starts with, as C's strtod reads it, correctly rounded. Returns the bytes used; where
 * that is 0 there is no number and *value is 0. The field is good only where all its bytes are used. The 24 bytes
 * behind it are readable. */
static inline size_t tk_real(const tk_numbers_t *numbers, const char *text, size_t n, double *value) {
    const char *p = text, *end = text + n;
    const int negative = p < end && *p == '-';
    uint64_t digits = 0;
    int exponent = 0;
    p += p < end && (*p == '-' || *p == '+');
    const char *start = p;
    while (p < end && *p == '0') p++;
    const char *first = p;  /* first digit that counts */
    p = tk_digits(p, end, &digits);
    ptrdiff_t n_digits = p - first, seen = p - start;
    if (p < end && *p == '.') {
        p++;
        const char *fraction = p;
        if (n_digits == 0) while (p < end && *p == '0') p++;  /* zeros behind the point are no significant digits */
        first = p;
        p = tk_digits(p, end, &digits);
        n_digits += p - first;
        seen += p - fraction;
        if (p - fraction > 1000) return tk_strtod(numbers, text, n, value);
        exponent = -(int)(p - fraction);
    }
    if (seen == 0) return tk_strtod(numbers, text, n, value);  /* inf, nan, or nothing */
    if (p < end && (*p | 32) == 'x') return tk_strtod(numbers, text, n, value);
    if (p < end && (*p | 32) == 'e') {
        const char *q = p + 1;
        int64_t e = 0;
        const int minus = q < end && *q == '-';
        q += q < end && (*q == '-' || *q == '+');
        const char *digits_start = q;
        for (; q < end && (unsigned char)(*q - '0') < 10; q++) if (e < 100000) e = e * 10 + (*q - '0');
        if (q > digits_start) {
            p = q;
            exponent += (int)(minus ? -e : e);
        }
    }
    if (n_digits > 19) return tk_strtod(numbers, text, n, value);
    if (digits == 0) *value = 0.0;
    else if (!tk_scale(numbers, digits, exponent, value)) return tk_strtod(numbers, text, n, value);
    if (negative) *value = -*value;
    return (size_t)(p - text);
}

/* The integer that text[0..n) starts with, as C's atol reads a field: sign, digits; saturated. Returns the bytes used. */
static inline size_t tk_integer(const char *text, size_t n, int64_t *value) {
    const char *p = text, *end = text + n;
    const int negative = p < end && *p == '-';
    uint64_t v = 0;
    p += p < end && (*p == '-' || *p == '+');
    const char *start = p;
    for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
        const uint64_t digit = (unsigned char)(*p - '0');
        v = v > (UINT64_MAX - digit) / 10 ? UINT64_MAX : v * 10 + digit;
    }
    if (negative) *value = v > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)v;
    else *value = v > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)v;
    return p == start ? 0 : (size_t)(p - text);
}

/* The decimal text of a number into `text`, which has room for 20 bytes. Returns the length. */
static inline size_t tk_decimal(int64_t number, char *text) {
    char digits[20], *p = digits + sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do *--p = (char)('0' + rest % 10); while (rest /= 10);
    const size_t n = (size_t)(digits + sizeof digits - p), negative = number < 0;
    text[0] = '-';
    memcpy(text + negative, p, n);
    return n + negative;
}

#endif
