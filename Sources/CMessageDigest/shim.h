// SHA-256 of the system: libmd's on Linux, which Debian's own package manager is linked with, Common Crypto's on Apple's
// systems. Swift sees one function and needs no platform conditions.
#include <stddef.h>
#include <stdint.h>
#if defined(__APPLE__)
#include <CommonCrypto/CommonDigest.h>
#else
#include <sha2.h>
#endif

// Writes the SHA-256 of `count` bytes to the 32 bytes at `digest`. `bytes` may be null if there are none.
static inline void sha256(const void *bytes, size_t count, uint8_t *digest) {
  const uint8_t *next = (const uint8_t *)bytes;
#if defined(__APPLE__)
  CC_SHA256_CTX state;
  CC_SHA256_Init(&state);
  // A call takes a count of 32 bits.
  while (count > 0) {
    CC_LONG part = count < (1u << 30) ? (CC_LONG)count : (CC_LONG)(1u << 30);
    CC_SHA256_Update(&state, next, part);
    next += part;
    count -= part;
  }
  CC_SHA256_Final(digest, &state);
#else
  SHA2_CTX state;
  SHA256Init(&state);
  if (count > 0) SHA256Update(&state, next, count);
  SHA256Final(digest, &state);
#endif
}
