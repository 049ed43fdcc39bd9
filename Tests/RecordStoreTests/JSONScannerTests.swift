import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The fast reader of JSON takes what Foundation writes, and gives up at anything else.
struct JSONScannerTests {
  private func scan<Value>(_ text: String, _ body: (inout JSONScanner) -> Value?) -> Value? {
    Array(text.utf8).withRawBytes { bytes in
      var scanner = JSONScanner(bytes)
      guard let value = body(&scanner), scanner.isAtEnd else { return nil }
      return value
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 9, 10, .max]) func `a whole number comes back`(number: Int64) {
    #expect(scan("\(number)") { $0.integer() } == number)
  }

  @Test(arguments: ["", "-", "-0", "00", "01", "-01", "1.0", "1e3", "+1", " 1", "1 ", "9223372036854775808", "x"])
  func `what is no whole number of the type is given up`(text: String) {
    #expect(scan(text) { $0.integer() as Int64? } == nil)
  }

  @Test func `each type has its own bounds`() {
    #expect(scan("-128") { $0.integer() } == Int8.min && scan("-129") { $0.integer() as Int8? } == nil)
    #expect(scan("255") { $0.integer() } == UInt8.max && scan("256") { $0.integer() as UInt8? } == nil)
    #expect(scan("-1") { $0.integer() as UInt64? } == nil)
    #expect(scan("18446744073709551615") { $0.integer() } == UInt64.max)
  }

  @Test func `strings come without escapes, and others are given up`() {
    #expect(scan("\"\"") { $0.string() } == "")
    #expect(scan("\"Львів 🚌\"") { $0.string() } == "Львів 🚌")
    for text in ["\"a", "a\"", "\"a\\n\"", "\"\\u0041\"", "\"a\nb\"", "'a'", "\"a\"\"", "\"a\u{0}\""] {
      #expect(scan(text) { $0.string() } == nil, "\(text)")
    }
    let invalid: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
    invalid.withRawBytes { bytes in
      var scanner = JSONScanner(bytes)
      #expect(scanner.string() == nil)
    }
  }

  @Test func `true and false are words, others are given up`() {
    #expect(scan("true") { $0.bool() } == true && scan("false") { $0.bool() } == false)
    for text in ["True", "tru", "truee", "1", "null", ""] { #expect(scan(text) { $0.bool() } == nil, "\(text)") }
  }

  @Test func `lists have elements between commas`() {
    func list(_ text: String) -> [Int]? { scan(text) { $0.elements { $0.integer() } } }
    #expect(list("[]") == [] && list("[1]") == [1] && list("[1,2,3]") == [1, 2, 3])
    for text in ["[", "[1", "[1,", "[1,]", "[,1]", "[1 ,2]", "[1;2]", "1]", "[]]", "[true]"] {
      #expect(list(text) == nil, "\(text)")
    }
    #expect(scan("[[1],[],[2,3]]") { $0.elements { $0.elements { $0.integer() as Int? } } } == [[1], [], [2, 3]])
  }

  @Test func `members come in the order of their names, each once`() {
    func members(_ text: String) -> [String: Int]? {
      scan(text) { scanner in
        var found: [String: Int] = [:]
        let isRead = scanner.members { name, scanner in
          guard let value: Int = scanner.integer() else { return false }
          found[String(decoding: name.bytes.buffer, as: UTF8.self)] = value
          return true
        }
        return isRead ? found : nil
      }
    }
    #expect(members("{}") == [:] && members("{\"a\":1,\"b\":2}") == ["a": 1, "b": 2])
    for text in [
      "{", "{\"a\":1", "{\"a\":1,}", "{\"a\"1}", "{a:1}", "{\"b\":1,\"a\":2}", "{\"a\":1,\"a\":2}", "{\"a\":x}",
      "{\"a\":1}}",
    ] {
      #expect(members(text) == nil, "\(text)")
    }
  }
}
