import Testing

@testable import CommandLineTool

struct TextTableTests {
  private var table: TextTable {
    var table = TextTable([.init("name"), .init("price", .right), .init("note")])
    table.rows = [["bread", "3.50", "from the corner"], ["漢字", "12", ""], ["Zoë 👩‍👩‍👧", "1", "x"]]
    return table
  }

  @Test func `columns are aligned by what a terminal shows, and nothing is cut where there is none`() {
    #expect(
      table.lines(for: .plain) == [
        "name    price  note", "bread    3.50  from the corner", "漢字       12", "Zoë 👩‍👩‍👧      1  x",
      ])
  }

  @Test(arguments: 10...60)
  func `rows fit a terminal of any width down to the least columns`(columns: Int) {
    let lines = table.lines(for: Terminal(columns: columns, usesColours: false, showsProgress: false))
    #expect(lines.allSatisfy { DisplayText.width($0) <= max(columns, 4 + 4 + 4 + 4) }, "\(lines)")
  }

  /// Only lists of records kept the rule: `status` showed three letters of a replica's name.
  @Test func `a table that would show less than ten letters has a line for each value`() {
    let narrow = Terminal(columns: 20, usesColours: false, showsProgress: false)
    #expect(table.lines(for: narrow).first == "name   bread")
    #expect(table.lines(for: narrow).count > 9)
    let wide = Terminal(columns: 29, usesColours: false, showsProgress: false)
    #expect(table.lines(for: wide).first?.hasPrefix("name") == true && table.lines(for: wide).count == 4)
  }

  @Test func `the heading is bold only where colours are wanted`() {
    let terminal = Terminal(columns: 80, usesColours: true, showsProgress: false)
    #expect(table.lines(for: terminal)[0].hasPrefix("\u{1B}[1mname"))
    #expect(!table.lines(for: .plain)[0].contains("\u{1B}"))
  }

  @Test(arguments: [
    ("né", 2), ("ne\u{301}", 2), ("漢字", 4), ("한글", 4), ("✅⭐", 4), ("🇺🇦", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("❤", 1),
    ("1️⃣", 2), ("नि", 2), ("กำ", 2), ("a\u{200B}b\u{200F}", 2), ("שלום", 4), ("€™", 2),
  ])
  func `a text is as wide as terminals show it`(text: String, width: Int) {
    #expect(DisplayText.width(text) == width)
  }

  @Test func `stored text cannot steer the terminal`() {
    #expect(DisplayText.visible("a\u{1B}[2Jb\nc\u{202E}d") == "a\\u{1b}[2Jb\\nc\\u{202e}d")
  }

  @Test func `sizes are told in the unit that fits`() {
    #expect(DisplayText.byteCount(1) == "1 byte")
    #expect(DisplayText.byteCount(4096) == "4096 bytes")
    #expect(DisplayText.byteCount(1_572_864) == "1.5 MiB")
    #expect(DisplayText.byteCount(3 << 40) == "3.0 TiB")
  }
}
