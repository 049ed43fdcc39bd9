#include "CChecksum.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

// Remainders of the sixteen values of four bits: 64 bytes that stay in the cache; two steps a byte.
static const uint32_t remainders[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

uint32_t tandem_crc32c_portable(uint32_t seed, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint32_t crc = ~seed;
  for (; count > 0; count--, next++) {
    crc = remainders[(crc ^ *next) & 15] ^ (crc >> 4);
    crc = remainders[(crc ^ (*next >> 4)) & 15] ^ (crc >> 4);
  }
  return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t seed, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint64_t crc = (uint32_t)~seed;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  for (; count > 0; count--, next++) crc = _mm_crc32_u8((uint32_t)crc, *next);
  return ~(uint32_t)crc;
}

uint32_t tandem_crc32c(uint32_t seed, const void *bytes, size_t count) {
  if (__builtin_cpu_supports("sse4.2")) return by_instruction(seed, bytes, count);
  return tandem_crc32c_portable(seed, bytes, count);
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

uint32_t tandem_crc32c(uint32_t seed, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint32_t crc = ~seed;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    crc = __crc32cd(crc, word);
  }
  for (; count > 0; count--, next++) crc = __crc32cb(crc, *next);
  return ~crc;
}

#else

uint32_t tandem_crc32c(uint32_t seed, const void *bytes, size_t count) {
  return tandem_crc32c_portable(seed, bytes, count);
}

#endif
