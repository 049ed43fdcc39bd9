import CChecksum

/// The Castagnoli checksum (RFC 3720, B.4): finds every burst of errors up to 32 bits.
enum CRC32C {
  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { tandem_crc32c(0, $0.baseAddress, $0.count) }
  }
}
