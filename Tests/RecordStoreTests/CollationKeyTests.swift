import RecordStore
import TestSupport
import Testing

@Suite struct CollationKeyTests {
  @Test(arguments: [
    ["item 0", "item 00", "item 2", "item 9", "item 10", "item 010", "item 11", "item 100"],
    ["a", "A", "á", "Á", "ab", "b", "B", "z"],
    ["", " ", "-", "1", "a"],
    ["resume", "résumé", "Résumé", "resumes"],
    ["Гарний", "Ґанок", "Дім", "Еней", "Єва", "Жук", "Ива", "Ірис", "Їжак", "Йод", "Кіт", "Яр"],
    ["ехо", "ёлка", "жук", "и", "й", "к"],
    ["lódz", "łodz", "Łódź", "lodzia", "m"],
    ["Straße", "Strassf", "Strata"],
    ["a", "я", "日本"],
  ])
  func `texts stand as people expect`(texts: [String]) {
    for (index, left) in texts.enumerated() {
      for right in texts[(index + 1)...] {
        #expect(compare(CollationKey.bytes(of: left), CollationKey.bytes(of: right)) < 0, "\(left) before \(right)")
      }
    }
  }

  @Test func `canonically equal texts have equal keys, and all others different ones`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<5_000 {
      let left = RandomValues.string(using: &generator)
      let right = RandomValues.string(using: &generator)
      #expect((CollationKey.bytes(of: left) == CollationKey.bytes(of: right)) == (left == right), "\(left), \(right)")
    }
  }

  @Test func `the bytes are these, for they stand in indexes`() {
    let expected: [(String, [UInt8])] = [
      ("", []), ("az", [0x10, 0x29]), ("a B", [0x10, 3, 0x11, 2, 2, 0x9E, 0xDF, 0xBD]),
      ("-07", [4, 0x2D, 5, 3, 13, 2, 0x2D, 0x30, 0x37]), ("\u{0}", [4, 2, 4]), ("\u{3}\t", [4, 2, 7, 3, 2, 3, 7, 9]),
      ("é", [0x14, 2, 0xC3, 0xA9]), ("É", [0x14, 2, 0xC3, 0xA9, 2, 0x3C, 0x76]),
      ("ґ", [0x2A, 0xD0, 0xB0, 6, 2, 0xD2, 0x91]), ("日", [0x2A, 0xE6, 0x97, 0xA5, 2, 0xE6, 0x97, 0xA5]),
      ("ß", [0x22, 0x22, 2, 0xC3, 0x9F]),
      // Of Unicode 17: a sign, whatever the system's tables say.
      ("\u{1E6C0}", [4, 0xF0, 0x9E, 0x9B, 0x80, 2, 0xF0, 0x9E, 0x9B, 0x80]),
    ]
    for (text, bytes) in expected { #expect(CollationKey.bytes(of: text) == bytes, "\(text.debugDescription)") }
  }

  @Test func `no key holds the bytes that end a component, and each begins as those of its beginnings`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<5_000 {
      let text = RandomValues.string(using: &generator)
      let key = CollationKey.bytes(of: text)
      #expect(!key.contains { $0 < 2 }, "\(text.debugDescription)")
      let beginning = String(text.prefix(Int.random(in: 0...6, using: &generator)))
      #expect(
        key.starts(with: CollationKey.prefix(of: beginning)),
        "\(beginning.debugDescription) of \(text.debugDescription)")
    }
  }
}
