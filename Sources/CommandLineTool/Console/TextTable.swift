/// Rows under a heading, columns aligned; on a terminal cut to its width, elsewhere whole.
struct TextTable: Sendable {
  enum Alignment: Sendable { case left, right }
  struct Column: Sendable {
    var title: String
    var alignment: Alignment
    init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  private static let gap = "  "
  private static let leastColumnWidth = 4

  var columns: [Column]
  var rows: [[String]] = []
  init(_ columns: [Column]) { self.columns = columns }

  func lines(for terminal: Terminal) -> [String] {
    let widths = fitted(natural(), to: terminal.columns)
    let heading = line(columns.map(\.title), widths)
    return [terminal.styled(heading, .bold)] + rows.map { line($0, widths) }
  }

  private func natural() -> [Int] {
    columns.indices.map { index in
      rows.reduce(DisplayText.width(columns[index].title)) { max($0, DisplayText.width($1[index])) }
    }
  }

  /// Takes columns from the widest until the row fits; a very small terminal gets broken lines rather than nothing.
  private func fitted(_ natural: [Int], to limit: Int?) -> [Int] {
    var widths = natural
    guard let limit else { return widths }
    var excess = widths.reduce(0, +) + TextTable.gap.count * (widths.count - 1) - limit
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > TextTable.leastColumnWidth
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = ""
    for (index, cell) in cells.enumerated() {
      let shown = DisplayText.cut(cell, to: widths[index])
      let space = String(repeating: " ", count: widths[index] - DisplayText.width(shown))
      if index > 0 { text += TextTable.gap }
      text += columns[index].alignment == .right ? space + shown : shown + space
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}
