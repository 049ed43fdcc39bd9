import Testing

@testable import MySubGuard

@Suite struct CSVReaderTests {
  private func rows(_ text: String) throws -> [[String]] {
    var reader = try CSVReader(text)
    var rows: [[String]] = []
    while let row = try reader.nextRow() { rows.append(row.map(\.text)) }
    return rows
  }

  @Test func `quotes, doubled quotes and line breaks inside quotes are part of a field`() throws {
    #expect(try rows("a,\"b \"\"c\"\", d\ne\"\n\"\",f") == [["a", "b \"c\", d\ne"], ["", "f"]])
  }

  /// To Swift a quote or a comma and the accent behind it are one character.
  @Test func `quotes and separators count also before an accent`() throws {
    #expect(
      try rows("a,\u{301}b,\"\u{301}c,\"\"\u{301}\",\"d\",\u{FE0F}\n\u{301}e,f,g,h,i") == [
        ["a", "\u{301}b", "\u{301}c,\"\u{301}", "d", "\u{FE0F}"], ["\u{301}e", "f", "g", "h", "i"],
      ])
  }

  @Test func `all three line endings, blank lines and a byte order mark are accepted`() throws {
    #expect(try rows("\u{FEFF}a,b\r\nc,d\r\n\r\n\ne,f\rg,h") == [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]])
  }

  @Test func `the first line decides between comma and semicolon`() throws {
    #expect(try rows("a;b\n1,5;2") == [["a", "b"], ["1,5", "2"]])
    #expect(try rows("\"x;y\",b\n1;5,2") == [["x;y", "b"], ["1;5", "2"]])
    #expect(#expect(throws: SubscriptionError.self) { try rows("a;b,c\n") }?.code == .malformedList)
  }

  @Test func `empty fields at both ends of a line are fields`() throws {
    #expect(try rows(",,\n") == [["", "", ""]])
    #expect(try rows("").isEmpty)
  }

  @Test(arguments: [
    ("a,b\nc,d\"e", 2, 4), ("a,b\n\"c\"d,e", 2, 4), ("a\nb\n\"c", 3, 1), ("é🇫🇷,\"\n", 1, 4),
  ])
  func `a misplaced quote is named with line and column`(text: String, line: Int, column: Int) {
    let error = #expect(throws: SubscriptionError.self) { try rows(text) }
    #expect(error?.position == TextPosition(line: line, column: column))
  }

  @Test func `every prefix of a list parses or is refused with a place inside it`() throws {
    let text = "a;b\r\n\"x \"\"y\"\"\r\nz\";2\r\n\r\nq;\"\"\r\n"
    for end in text.indices {
      let prefix = String(text[..<end])
      do {
        _ = try rows(prefix)
      } catch let error as SubscriptionError {
        #expect(error.code == .malformedList)
        let lines = prefix.split(separator: "\r\n", omittingEmptySubsequences: false).count
        #expect(error.position.map { (1...lines).contains($0.line) } == true)
      }
    }
  }
}
