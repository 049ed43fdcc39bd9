import Foundation
import LMDB
import RecordStore

/// The ids of records that come from rows: equal for equal rows of equal files, on every device and for ever.
///
/// The first half is that of SHA-256 over the file's namespace and the table's name. The second half is the number of a
/// row with one integer as its key, so that records lie as rows do, and else the first half of SHA-256 over the key.
enum DerivedID {
  static func id(of key: [SQLiteValue], in table: String, of namespace: String) -> RecordID {
    let high = digest("\(namespace)\0\(table)")
    if key.count == 1, case .integer(let number) = key[0] {
      return RecordID(high: high, low: UInt64(bitPattern: number))
    }
    return RecordID(high: ~high, low: digest(key.map { text(of: $0) }.joined(separator: "\0")))
  }

  /// Numbers that SQLite holds to be equal are one.
  private static func text(of value: SQLiteValue) -> String {
    switch value {
    case .null: "n"
    case .integer(let number): "i\(number)"
    case .real(let number): Int64(exactly: number).map { "i\($0)" } ?? "r\(number)"
    case .text(let text): "t\(text.utf8.count):\(text)"
    case .blob(let bytes): "b\(bytes.base64EncodedString())"
    }
  }

  private static func digest(_ text: String) -> UInt64 {
    [UInt8](text.utf8).withRawBytes { StableHash.digest128($0).high }
  }
}
