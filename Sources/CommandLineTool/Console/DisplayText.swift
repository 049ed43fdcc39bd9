import Foundation
import RecordStore
import StoreInspection

/// Text from a store, made fit for a terminal: no control characters, a known width.
enum DisplayText {
  /// Line ends, tabs and escapes become visible, so that stored text cannot steer the terminal or break a table.
  static func visible(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}",
        "\u{2066}"..."\u{2069}":
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Terminal columns: East Asian wide characters and pictures take two.
  static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default:
      // A variation selector asks for the picture form, which is wide.
      return character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }
  }

  /// At most `columns` wide, the end replaced by `…` where it is cut.
  static func cut(_ text: String, to columns: Int) -> String {
    if width(text) <= columns { return text }
    var result = ""
    var used = 1
    for character in text {
      used += width(character)
      if used > columns { break }
      result.append(character)
    }
    return columns > 0 ? result + "…" : ""
  }

  /// A text in pieces of at most `columns` each; none of an empty text.
  static func pieces(_ text: String, of columns: Int) -> [String] {
    if width(text) <= columns { return text.isEmpty ? [] : [text] }
    var pieces = [""]
    var used = 0
    for character in text {
      let width = width(character)
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
