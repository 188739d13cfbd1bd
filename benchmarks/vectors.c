/* Times what scan.h does with a line of a run: finds its fields, reads its score, hashes its document's id.
 *
 * Usage: vectors RUN POWERS ROUNDS. POWERS has the table of powers of five, two hexadecimal words a line. Prints the
 * nanoseconds a line that each of the three takes, and a checksum of what they found.
 */
#include "scan.h"

#include <stdio.h>
#include <time.h>

#define MOST_LINES 20000

static tk_numbers_t numbers;
static char text[(1 << 20) + 2 * TK_SLACK];
static const char *docno[MOST_LINES];
static tk_tail_t tails[MOST_LINES];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    unsigned long long high, low;
    size_t n_lines = 0, n_powers = 0;
    if (argc != 4) return 2;
    FILE *file = fopen(argv[2], "r");
    while (file && fscanf(file, "%llx %llx", &high, &low) == 2) {
        numbers.power[n_powers].high = high;
        numbers.power[n_powers++].low = low;
    }
    tk_set_locale(&numbers);
    file = fopen(argv[1], "rb");
    if (!file || !n_powers) return 1;
    const size_t size = fread(text + TK_SLACK, 1, 1 << 20, file);
    for (const char *p = text + TK_SLACK, *end; (end = memchr(p, '\n', (size_t)(text + TK_SLACK + size - p))); p = end + 1) {
        const char *second = memchr(p, ' ', 60), *third = second ? memchr(second + 1, ' ', 60) : NULL;
        if (!third || n_lines == MOST_LINES) break;
        docno[n_lines++] = third + 1;
    }
    const int rounds = atoi(argv[3]);
    const tk_key_t key = {{1, 2, 3, 5}};
    uint64_t sum = 0;
    const double start = now();
    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < n_lines; i++) sum += (uint64_t)tk_tail(docno[i], 4, ' ', &tails[i]) + tails[i].line_end;
    const double fields = now();
    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < n_lines; i++) {
            double score = 0.0;
            uint64_t bits;
            const uint32_t at = tails[i].end[1] + 1;
            sum += (uint64_t)tk_plain_real(&numbers, docno[i] + at, tails[i].end[2] - at, &score);
            memcpy(&bits, &score, 8);
            sum += bits;
        }
    const double scores = now();
    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < n_lines; i++) sum += tk_hash(docno[i], tails[i].end[0], &key);
    const double ids = now(), each = (double)rounds * (double)n_lines;
    printf("%f %f %f %llx\n", (fields - start) / each, (scores - fields) / each, (ids - scores) / each,
           (unsigned long long)sum);
    return 0;
}
