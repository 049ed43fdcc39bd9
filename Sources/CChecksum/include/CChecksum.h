// The checksum that file formats are made of, in C because Swift has no intrinsic for the processors'
// CRC instructions.

#ifndef TANDEM_CCHECKSUM_H
#define TANDEM_CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) of `count` bytes, continued from `seed`: the
// checksum of nothing is 0, and crc(a + b) = crc(b, seeded with crc(a)).
uint32_t tandem_crc32c(uint32_t seed, const void *bytes, size_t count);

// That of the little-endian bytes of three numbers, then of the bytes without the four at `gap`, in one call: what each
// record that is read is checked by.
uint32_t tandem_crc32c_of_record(
    uint32_t entity, uint64_t high, uint64_t low, const void *bytes, size_t count, size_t gap);

// The first by table, for machines without the instruction; apart, so that tests can compare both.
uint32_t tandem_crc32c_portable(uint32_t seed, const void *bytes, size_t count);

#endif
