import Foundation
import MySubGuard
import Testing

/// Tables in terminals that are narrower than they are.
@Suite struct TextTableTests {
  private let table = TextTable(
    rows: [
      ["id", "name", "price", "state"], ["1", "Rencontres autour du jeu", "€7.00", "paused"],
      ["2", "Piscine", "€22.00", ""],
    ], rightAligned: [2])

  @Test(arguments: [nil, 46, 200]) func `a table that has room is whole`(columns: Int?) {
    #expect(table.lines(fitting: columns) == table.lines)
    #expect(table.lines.map(\.count).max() == 44)
  }

  @Test func `the widest column is cut where a table is a little too wide`() {
    #expect(
      table.lines(fitting: 36) == [
        "id  name               price  state", "1   Rencontres auto…   €7.00  paused",
        "2   Piscine           €22.00",
      ])
  }

  @Test func `columns move together before a table is given up`() {
    #expect(
      table.lines(fitting: 30) == [
        "id name           price state", "1  Rencontres a…  €7.00 paused", "2  Piscine       €22.00",
      ])
  }

  @Test func `in a narrow terminal each row is a block of lines`() {
    #expect(
      table.lines(fitting: 24) == [
        "id     1", "name   Rencontres autour du jeu", "price  €7.00", "state  paused", "", "id     2",
        "name   Piscine",
        "price  €22.00",
      ])
  }

  @Test func `pictures and East Asian characters take two columns, and marks of direction cannot turn a row`() {
    let table = TextTable(rows: [["Netflix 🎬", "1"], ["漢字", "2"], ["🇺🇦 ✅", "3"], ["a\u{202E}b", "4"], ["né", "5"]])
    #expect(
      table.lines == [
        "Netflix 🎬  1", "漢字        2", "🇺🇦 ✅       3", "a\\u{202e}b  4", "né          5",
      ])
  }
}
