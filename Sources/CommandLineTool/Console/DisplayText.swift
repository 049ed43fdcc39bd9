import Foundation
import LocalizedTexts
import RecordStore
import StoreInspection

/// Text from a store, made fit for a terminal: no control characters, a known width.
enum DisplayText {
  /// Stands for a large value that has not come yet, or whose file is lost.
  static let missingValue = "not on this device"

  static func visible(_ text: some StringProtocol) -> String { TerminalText.visible(text) }
  static func width(_ text: some StringProtocol) -> Int { TerminalText.width(text) }
  static func cut(_ text: String, to columns: Int) -> String { TerminalText.cut(text, to: columns) }

  /// A text in pieces of at most `columns` each; none of an empty text.
  static func pieces(_ text: String, of columns: Int) -> [String] {
    if width(text) <= columns { return text.isEmpty ? [] : [text] }
    var pieces = [""]
    var used = 0
    for character in text {
      let width = TerminalText.width(character)
      if used + width > columns, used > 0 {
        pieces.append("")
        used = 0
      }
      pieces[pieces.count - 1].append(character)
      used += width
    }
    return pieces
  }

  /// A value as people write it; nil is empty.
  static func value(_ value: FieldValue) -> String {
    switch value {
    case .null: ""
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .double(let value): value.description
    case .decimal(let value): value.description
    case .string(let value), .url(let value): visible(value)
    case .date(let value): LocalTime(value).exactText
    case .uuid(let value): value.uuidString.lowercased()
    case .data(let value), .composite(let value): value.count == 1 ? "1 byte" : "\(value.count) bytes"
    case .reference(let value): value.description
    }
  }

  /// Milliseconds since 1970 in UTC, for programs.
  static func date(milliseconds: UInt64) -> String {
    DateText.display(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
  }

  /// `1536 bytes`, `1.5 MiB`.
  static func byteCount(_ count: Int) -> String {
    if count < 10_240 { return count == 1 ? "1 byte" : "\(count) bytes" }
    var amount = Double(count) / 1024
    for unit in ["KiB", "MiB", "GiB"] {
      if amount < 1024 { return "\((amount * 10).rounded() / 10) \(unit)" }
      amount /= 1024
    }
    return "\((amount * 10).rounded() / 10) TiB"
  }

  static func count(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
  }

  /// A sentence in lines of at most `columns`, broken at blanks, each begun with so many blanks; nil: one line.
  static func wrapped(_ text: String, to columns: Int?, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    guard let columns else { return [margin + text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !line.isEmpty, indent + width(line) + 1 + width(word) > columns {
        lines.append(margin + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [margin + line]
  }

  /// The largest unit that fits, rounded down: `3 hours`.
  static func duration(milliseconds: UInt64) -> String {
    for (unit, size) in [("year", 31_536_000_000), ("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000)]
    where milliseconds >= size {
      return count(Int(milliseconds / UInt64(size)), unit)
    }
    return count(Int(milliseconds / 1000), "second")
  }
}
