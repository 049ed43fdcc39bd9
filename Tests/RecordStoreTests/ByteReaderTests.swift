import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Numbers and texts one after another, and what ends early or is too large.
struct ByteReaderTests {
  private func read<Value>(_ bytes: [UInt8], _ body: (inout ByteReader) throws -> Value) throws -> Value {
    try bytes.withRawBytes { bytes throws in
      var reader = ByteReader(bytes, subject: "a test")
      let value = try body(&reader)
      #expect(reader.isAtEnd)
      return value
    }
  }

  private func expectDamaged(
    _ bytes: [UInt8], _ sentence: String, _ body: (inout ByteReader) throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try read(bytes, body) }
    #expect(error?.code == .damaged, sourceLocation: sourceLocation)
    #expect(error?.message.contains("a test is damaged (\(sentence))") == true, sourceLocation: sourceLocation)
  }

  @Test func `every number around a power of two comes back from its measured length`() throws {
    for bit in 0..<64 {
      for value in [(1 as UInt64) << bit, (1 << bit) - 1, (1 << bit) + 1, .max] {
        let count = VariableLength.byteCount(value)
        let bytes = [UInt8](byteCount: count) { $0.writeVariable(value) }
        #expect(bytes.count == count)
        #expect(try read(bytes) { try $0.readVariable() } == value)
        expectDamaged(Array(bytes.dropLast()), "it ends early") { _ = try $0.readVariable() }
      }
    }
  }

  @Test func `a number above 64 bits is too large`() {
    let nine = Array(repeating: 0xFF as UInt8, count: 9)
    expectDamaged(nine + [2], "a number is too large") { _ = try $0.readVariable() }
    expectDamaged(nine + [0x81, 0], "a number is too large") { _ = try $0.readVariable() }
  }

  @Test func `a count is bounded by the bytes that are left before anything is taken for it`() throws {
    #expect(
      try read([3, 1, 2, 3]) { reader in
        let count = try reader.readCount()
        _ = try reader.read(count: count)
        return count
      } == 3)
    expectDamaged([4, 1, 2, 3], "a count is larger than the rest") { _ = try $0.readCount() }
    expectDamaged([2, 1, 2, 3], "a count is larger than the rest") { _ = try $0.readCount(minimumSize: 2) }
    expectDamaged(Array(repeating: 0xFF, count: 9) + [1], "a count is larger than the rest") { _ = try $0.readCount() }
  }

  @Test func `a length below nothing or beyond the end is refused`() {
    expectDamaged([1, 2], "a length is larger than the rest") { _ = try $0.read(count: 3) }
    expectDamaged([1, 2], "a length is larger than the rest") { _ = try $0.read(count: -1) }
  }

  @Test func `integers are read least significant byte first and never beyond the end`() throws {
    #expect(try read([1, 2, 3, 4]) { try $0.read(as: UInt32.self) } == 0x0403_0201)
    #expect(try read([0xFE, 0xFF]) { try $0.read(as: Int16.self) } == -2)
    expectDamaged([1, 2, 3], "it ends early") { _ = try $0.read(as: UInt32.self) }
  }

  @Test func `a bounded number and a sequence are refused above their bounds`() throws {
    #expect(try read([0x80, 1]) { try $0.readNumber(through: 128) } == 128)
    expectDamaged([0x81, 1], "a number is too large") { _ = try $0.readNumber(through: 128) }
    let greatest = [UInt8](byteCount: VariableLength.byteCount(Dot.greatestSequence)) {
      $0.writeVariable(Dot.greatestSequence)
    }
    #expect(try read(greatest) { try $0.readSequence() } == Dot.greatestSequence)
    let above = [UInt8](byteCount: VariableLength.byteCount(Dot.greatestSequence + 1)) {
      $0.writeVariable(Dot.greatestSequence + 1)
    }
    expectDamaged(above, "a sequence number is too large") { _ = try $0.readSequence() }
  }

  @Test(arguments: ["", "a", "Львів 🚌", String(repeating: "x", count: 200)])
  func `a text, an id and a stamp come back`(text: String) throws {
    let (id, stamp) = (fixtureID(7), Stamp(time: 9, counter: 8, replica: ReplicaID(7)))
    let count = text.utf8.count
    let bytes = [UInt8](byteCount: VariableLength.byteCount(UInt64(count)) + count + 16 + Stamp.byteCount) {
      $0.writeText(text)
      $0.write(id)
      $0.write(stamp)
    }
    let found = try read(bytes) { (try $0.readText(), try $0.readID(), try $0.readStamp()) }
    #expect(found == (text, id, stamp))
    expectDamaged(Array(bytes.dropLast()), "a length is larger than the rest") {
      _ = (try $0.readText(), try $0.readID(), try $0.readStamp())
    }
  }
}
