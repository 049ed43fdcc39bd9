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

static uint32_t record_portable(
    uint32_t entity, uint64_t high, uint64_t low, const void *bytes, size_t count, size_t gap) {
  uint8_t seed[20];
  for (int i = 0; i < 4; i++) seed[i] = (uint8_t)(entity >> 8 * i);
  for (int i = 0; i < 8; i++) seed[4 + i] = (uint8_t)(high >> 8 * i);
  for (int i = 0; i < 8; i++) seed[12 + i] = (uint8_t)(low >> 8 * i);
  uint32_t crc = tandem_crc32c_portable(0, seed, sizeof seed);
  crc = tandem_crc32c_portable(crc, bytes, gap);
  return tandem_crc32c_portable(crc, (const uint8_t *)bytes + gap + 4, count - gap - 4);
}

#if defined(__x86_64__)

#define SSE __attribute__((target("sse4.2")))

SSE static inline uint64_t step(uint64_t crc, const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, 8);
  return _mm_crc32_u64(crc, word);
}

SSE static inline uint64_t run(uint64_t crc, const uint8_t *next, size_t count) {
  for (; count >= 32; count -= 32, next += 32) {
    crc = step(step(step(step(crc, next), next + 8), next + 16), next + 24);
  }
  for (; count >= 8; count -= 8, next += 8) crc = step(crc, next);
  if (count >= 4) {
    uint32_t word;
    memcpy(&word, next, 4);
    crc = _mm_crc32_u32((uint32_t)crc, word);
    count -= 4;
    next += 4;
  }
  for (; count > 0; count--, next++) crc = _mm_crc32_u8((uint32_t)crc, *next);
  return crc;
}

SSE static uint32_t by_instruction(uint32_t seed, const void *bytes, size_t count) {
  return ~(uint32_t)run((uint32_t)~seed, bytes, count);
}

SSE static uint32_t record_by_instruction(
    uint32_t entity, uint64_t high, uint64_t low, const uint8_t *bytes, size_t count, size_t gap) {
  uint64_t crc = _mm_crc32_u32(UINT32_MAX, entity);
  crc = _mm_crc32_u64(_mm_crc32_u64(crc, high), low);
  return ~(uint32_t)run(run(crc, bytes, gap), bytes + gap + 4, count - gap - 4);
}

uint32_t tandem_crc32c(uint32_t seed, const void *bytes, size_t count) {
  if (__builtin_cpu_supports("sse4.2")) return by_instruction(seed, bytes, count);
  return tandem_crc32c_portable(seed, bytes, count);
}

uint32_t tandem_crc32c_of_record(
    uint32_t entity, uint64_t high, uint64_t low, const void *bytes, size_t count, size_t gap) {
  if (__builtin_cpu_supports("sse4.2")) return record_by_instruction(entity, high, low, bytes, count, gap);
  return record_portable(entity, high, low, bytes, count, gap);
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

static uint32_t run(uint32_t crc, const uint8_t *next, size_t count) {
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    crc = __crc32cd(crc, word);
  }
  for (; count > 0; count--, next++) crc = __crc32cb(crc, *next);
  return crc;
}

uint32_t tandem_crc32c(uint32_t seed, const void *bytes, size_t count) { return ~run(~seed, bytes, count); }

uint32_t tandem_crc32c_of_record(
    uint32_t entity, uint64_t high, uint64_t low, const void *bytes, size_t count, size_t gap) {
  uint32_t crc = __crc32cd(__crc32cd(__crc32cw(UINT32_MAX, entity), high), low);
  return ~run(run(crc, bytes, gap), (const uint8_t *)bytes + gap + 4, count - gap - 4);
}

#else

uint32_t tandem_crc32c(uint32_t seed, const void *bytes, size_t count) {
  return tandem_crc32c_portable(seed, bytes, count);
}

uint32_t tandem_crc32c_of_record(
    uint32_t entity, uint64_t high, uint64_t low, const void *bytes, size_t count, size_t gap) {
  return record_portable(entity, high, low, bytes, count, gap);
}

#endif
