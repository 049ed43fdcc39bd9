import CChecksum
import LMDB
import RecordStore
import TestSupport
import Testing

@Suite struct StableHashTests {
  // RFC 3720, B.4: the check value of "123456789" and of 32 zero bytes.
  @Test func `CRC-32C has the published values`() {
    let digits = Array("123456789".utf8)
    #expect(tandem_crc32c(0, digits, digits.count) == 0xE306_9283)
    #expect(tandem_crc32c(0, [UInt8](repeating: 0, count: 32), 32) == 0x8A91_36AA)
    #expect(tandem_crc32c(0, [UInt8](), 0) == 0)
  }

  @Test func `the instruction and the table give the same CRC-32C, in one piece or in two`() {
    var generator = SeededGenerator.announced()
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let expected = tandem_crc32c_portable(0, bytes, count)
      let cut = Int.random(in: 0...count, using: &generator)
      let tail = Array(bytes[cut...])
      #expect(tandem_crc32c(0, bytes, count) == expected)
      #expect(tandem_crc32c(tandem_crc32c(0, bytes, cut), tail, tail.count) == expected)
    }
  }

  @Test func `the CRC-32C of a record is that of its numbers and of its bytes without the gap`() {
    var generator = SeededGenerator.announced()
    for count in 8..<120 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let gap = Int.random(in: 0...(count - 4), using: &generator)
      let entity = UInt32.random(in: .min ... .max, using: &generator)
      let (high, low) = (UInt64.random(in: .min ... .max, using: &generator), UInt64(count))
      let numbers = [UInt8](littleEndian: entity) + [UInt8](littleEndian: high) + [UInt8](littleEndian: low)
      let pieces = numbers + bytes[..<gap] + bytes[(gap + 4)...]
      let expected = tandem_crc32c_portable(0, pieces, pieces.count)
      #expect(tandem_crc32c_of_record(entity, high, low, bytes, count, gap) == expected)
    }
  }

  // FIPS 180-4 examples: no block, one block, two blocks, and a length that needs a block of its own.
  @Test func `SHA-256 has the published values`() {
    #expect(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      hex(String(repeating: "a", count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  private func hex(_ text: String) -> String {
    Array(text.utf8).withRawBytes { StableHash.sha256($0) }
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension [UInt8] {
  fileprivate init<Number: FixedWidthInteger>(littleEndian number: Number) {
    self = Swift.withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
