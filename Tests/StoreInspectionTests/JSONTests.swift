import StoreInspection
import TestSupport
import Testing

struct JSONTests {
  @Test func `digits and the order of members are kept`() throws {
    let text = #"{"b":12345678901234567890,"a":1.10,"c":[true,null,"x"]}"#
    #expect(try JSON(parsing: text).description == text)
  }

  @Test func `escapes are read as the characters that they stand for`() throws {
    let text = #""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#
    #expect(try JSON(parsing: text) == .string("\"\\/\u{8}\u{C}\n\r\té😀"))
  }

  @Test func `control characters and line separators never stand bare in the output`() throws {
    let value = JSON.string("\u{0}\u{1B}[31m\u{7F}\u{85}\u{2028}\u{2029}\n")
    #expect(value.description == #""\u0000\u001b[31m\u007f\u0085\u2028\u2029\n""#)
    #expect(try JSON(parsing: value.description) == value)
  }

  /// Half of a surrogate pair before another escape trapped.
  @Test(arguments: [
    ("", 1), ("{", 2), ("[1,]", 4), (#"{"a" 1}"#, 6), ("01", 2), ("1.", 3), ("-", 1), ("tru", 1), (#""a"#, 1),
    (#""\x""#, 2), (#""\ud800""#, 8), (#""\ud800\u0041""#, 14), (#""\ud800\ud800""#, 14), ("1 2", 3), ("\"\u{1}\"", 2),
    ("nul", 1), ("[1 2]", 4), ("é", 1),
  ])
  func `what is not JSON is refused at its column`(text: String, column: Int) {
    let error = #expect(throws: JSON.SyntaxError.self) { try JSON(parsing: text) }
    #expect(error?.column == column, "\(text): \(String(describing: error))")
  }

  @Test func `nesting without end is refused before the stack is`() {
    let error = #expect(throws: JSON.SyntaxError.self) { try JSON(parsing: String(repeating: "[", count: 100_000)) }
    #expect(error?.problem == "more than 128 levels of nesting")
  }

  @Test func `every random value comes back equal`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<500 {
      let value = JSON.random(depth: 4, using: &generator)
      #expect(try JSON(parsing: value.description) == value)
    }
  }
}

extension JSON {
  fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
    case 0: .null
    case 1: .bool(Bool.random(using: &generator))
    case 2: .number(String(Int64.random(in: .min ... .max, using: &generator)))
    case 3: .string(randomText(using: &generator))
    case 4: .array((0..<3).map { _ in random(depth: depth - 1, using: &generator) })
    default:
      .object(
        (0..<3).map { _ in
          .init(randomText(using: &generator), random(depth: depth - 1, using: &generator))
        })
    }
  }

  private static func randomText(using generator: inout SeededGenerator) -> String {
    let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "/", "\n", "\u{0}", "é", "漢", "😀", "\u{2028}", "\u{301}"]
    var text = ""
    for _ in 0..<Int.random(in: 0..<6, using: &generator) { text.unicodeScalars.append(generator.pick(scalars)) }
    return text
  }
}
