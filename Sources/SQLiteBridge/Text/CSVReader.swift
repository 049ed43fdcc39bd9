import Foundation

/// Rows of comma-separated values, by RFC 4180: also with line feeds alone, a byte order mark, and line ends in quotes.
///
/// An empty field without quotes is nil; `""` is an empty text. A row is an error if it has another number of fields
/// than the first, if a quote stands inside a field without quotes, or if something follows a closing quote.
struct CSVReader {
  static let maximumColumns = TextRecord.maximumPropertyCount
  private static let quote = UInt8(ascii: "\"")

  private let bytes: [UInt8]
  private let separator: UInt8
  private var position = 0
  private var line = 1
  private var columnCount: Int?

  init(_ data: Data, separator: Unicode.Scalar = ",") {
    bytes = [UInt8](data)
    self.separator = UInt8(ascii: separator)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The next row and the line at which it begins; nil at the end. Empty lines are passed over.
  mutating func next() throws -> (fields: [String?], line: Int)? {
    while position < bytes.count, isLineEnd { takeLineEnd() }
    guard position < bytes.count else { return nil }
    let start = line
    var fields: [String?] = []
    while true {
      fields.append(try field())
      guard fields.count <= CSVReader.maximumColumns else {
        throw BridgeError(
          .beyondLimits,
          "line \(start) has more than \(CSVReader.maximumColumns) fields: leave out some, or make a row of each")
      }
      if position < bytes.count, bytes[position] == separator {
        position += 1
        continue
      }
      if position < bytes.count { takeLineEnd() }
      break
    }
    if let columnCount, fields.count != columnCount {
      throw BridgeError(
        .notUnderstood, "line \(start) has \(fields.count) fields and the first one \(columnCount): correct the line")
    }
    columnCount = fields.count
    return (fields, start)
  }

  private var isLineEnd: Bool { bytes[position] == UInt8(ascii: "\n") || bytes[position] == UInt8(ascii: "\r") }

  private mutating func takeLineEnd() {
    let isReturn = bytes[position] == UInt8(ascii: "\r")
    position += 1
    if isReturn, position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
    line += 1
  }

  private mutating func field() throws -> String? {
    guard position < bytes.count, bytes[position] == CSVReader.quote else { return try plainField() }
    let start = line
    position += 1
    var content: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == CSVReader.quote {
        guard position < bytes.count, bytes[position] == CSVReader.quote else {
          guard position == bytes.count || bytes[position] == separator || isLineEnd else {
            throw BridgeError(
              .notUnderstood, "line \(line) goes on behind a closing quote: double quotes inside a field")
          }
          return try text(content[...])
        }
        position += 1
      } else if byte == UInt8(ascii: "\n") {
        line += 1
      }
      content.append(byte)
    }
    throw BridgeError(.notUnderstood, "the quote that opens at line \(start) is never closed: close it")
  }

  private mutating func plainField() throws -> String? {
    let start = position
    while position < bytes.count, bytes[position] != separator, !isLineEnd {
      guard bytes[position] != CSVReader.quote else {
        throw BridgeError(
          .notUnderstood, "line \(line) has a quote inside a field without quotes: put the field between quotes")
      }
      position += 1
    }
    return start == position ? nil : try text(bytes[start..<position])
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw BridgeError(.notUnderstood, "line \(line) is not UTF-8: save the file as UTF-8")
    }
    return text
  }
}
