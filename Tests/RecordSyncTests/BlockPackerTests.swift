import TestSupport
import Testing

@testable import RecordSync

struct BlockPackerTests {
  private static func random(_ count: Int, letters: ClosedRange<UInt8>, _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: letters, using: &generator) }
  }

  /// Repeats of every distance and length, between noise.
  private static func text(_ generator: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < 3000 {
      if bytes.isEmpty || generator.oneIn(3) {
        bytes += random(Int.random(in: 1...40, using: &generator), letters: 0...255, &generator)
      } else {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        let count = Int.random(in: generator.oneIn(5) ? 200...900 : 1...30, using: &generator)
        // A repeat that reaches into itself.
        for index in 0..<count { bytes.append(bytes[start + index % (bytes.count - start)]) }
      }
    }
    return bytes
  }

  @Test func `what is packed is unpacked to the same bytes, and is smaller`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<200 {
      let bytes = Self.text(&generator)
      let attempt = BlockPacker.pack(bytes[...])
      let packed = try #require(attempt)
      #expect(packed.count < bytes.count)
      #expect(BlockPacker.unpack(packed[...], byteCount: bytes.count) == bytes)
    }
  }

  @Test func `runs of one byte of every length are unpacked`() throws {
    for count in [13, 14, 18, 19, 20, 33, 34, 270, 273, 274, 275, 529, 65_535, 65_536, 70_000, 262_144] {
      let bytes = [UInt8](repeating: 7, count: count)
      guard let packed = BlockPacker.pack(bytes[...]) else {
        #expect(count < 20)
        continue
      }
      #expect(BlockPacker.unpack(packed[...], byteCount: count) == bytes)
    }
  }

  @Test func `a repeat beyond the window is not one`() throws {
    var generator = SeededGenerator.announced()
    let phrase = Self.random(1000, letters: 0...255, &generator)
    for gap in [64_535, 64_536, 64_537, 100_000] {
      let bytes = phrase + [UInt8](repeating: 0, count: gap) + phrase
      let attempt = BlockPacker.pack(bytes[...])
      let packed = try #require(attempt)
      #expect(BlockPacker.unpack(packed[...], byteCount: bytes.count) == bytes)
    }
  }

  @Test func `noise, and what is short, is left as it is`() {
    var generator = SeededGenerator.announced()
    for count in [0, 1, 12, 13, 100, 5000] {
      #expect(BlockPacker.pack(Self.random(count, letters: 0...255, &generator)[...]) == nil)
    }
  }

  /// Made by hand from the format's description: five letters, a match of nine that reaches into itself, five letters.
  @Test func `a block of another writer is unpacked`() {
    let packed = [0x55] + Array("abcde".utf8) + [2, 0, 0x50] + Array("vwxyz".utf8)
    #expect(BlockPacker.unpack(packed[...], byteCount: 19) == Array("abcdedededededvwxyz".utf8))
  }

  @Test func `damaged blocks are refused or unpacked to other bytes, and never beyond what was asked for`() throws {
    var generator = SeededGenerator.announced()
    let bytes = Self.text(&generator)
    let attempt = BlockPacker.pack(bytes[...])
    let packed = try #require(attempt)
    for _ in 0..<20_000 {
      var damaged = packed
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let found = BlockPacker.unpack(damaged[...], byteCount: bytes.count)
      #expect(found == nil || found?.count == bytes.count)
    }
    for count in 0..<packed.count { #expect(BlockPacker.unpack(packed[..<count], byteCount: bytes.count) == nil) }
    for count in [0, 1, bytes.count - 1, bytes.count + 1, 1 << 20] {
      #expect(BlockPacker.unpack(packed[...], byteCount: count) == nil)
    }
  }

  /// A few bytes that stand for very many: the declared size bounds them.
  @Test func `a block that would unpack to more than it says is refused`() throws {
    let attempt = BlockPacker.pack([UInt8](repeating: 0, count: 262_144)[...])
    let packed = try #require(attempt)
    #expect(packed.count < 1100)
    #expect(BlockPacker.unpack(packed[...], byteCount: 1000) == nil)
  }
}
