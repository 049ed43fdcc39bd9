import CChecksum

extension RawBytes {
  /// CRC-32C.
  package var checksum: UInt32 { checksum(after: 0) }

  /// CRC-32C, continued from that of the bytes before.
  package func checksum(after seed: UInt32) -> UInt32 { tandem_crc32c(seed, start, count) }
}
