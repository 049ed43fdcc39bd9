import RecordStore
import TestSupport
import Testing

@Suite struct CollationKeyTests {
  @Test(arguments: [
    ["item 2", "item 9", "item 010", "item 10", "item 11", "item 100"],
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
}
