import StoreInspection
import Testing

struct CSVWriterTests {
  @Test(arguments: [
    (["a", "b"] as [String?], "a,b"), (["a,b", "c"], "\"a,b\",c"), (["say \"no\""], "\"say \"\"no\"\"\""),
    (["two\nlines", "and\r\nthree"], "\"two\nlines\",\"and\r\nthree\""), (["", nil], "\"\","), ([nil], "\"\""),
    ([nil, nil], ","), ([" a"], "\" a\""), (["ä漢"], "ä漢"),
    (["\"\u{301}a"], "\"\"\"\u{301}a\""), ([" \u{301}a"], "\" \u{301}a\""), ([",\u{FE0F}"], "\",\u{FE0F}\""),
  ])
  func `a cell is quoted where its text would be read as something else`(cells: [String?], row: String) {
    #expect(CSVWriter().row(cells) == row)
  }

  @Test func `rows end as their readers expect`() {
    #expect(CSVWriter(.comma).lineEnd == "\r\n" && CSVWriter(.tab).lineEnd == "\n")
    #expect(CSVWriter(.tab).row(["a", "b,c", "d\te"]) == "a\t\"b,c\"\t\"d\te\"")
  }
}
