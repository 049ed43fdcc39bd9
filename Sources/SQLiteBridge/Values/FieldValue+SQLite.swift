import Foundation
import RecordStore
import StoreInspection

/// Field values in SQLite and back, without loss.
///
/// | type | SQLite |
/// |---|---|
/// | bool, int, uint | INTEGER; a uint above 2⁶³ − 1 is TEXT, `0x` and 16 hexadecimal digits |
/// | double | REAL; NaN is TEXT, `nan` or `nan:<bits>`, and minus zero TEXT, `-zero`, because REAL loses both |
/// | decimal, url, string | TEXT |
/// | date | TEXT, ISO 8601 in UTC with all its decimals; where no calendar reaches, seconds since 2001 as `inf s` |
/// | uuid, reference | TEXT, in lower case |
/// | data | BLOB |
/// | composite | TEXT, the JSON that it is made of, or `{"@base64":"…"}` |
extension SQLiteValue {
  static let minusZero = "-zero"

  init(_ value: FieldValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .integer(value ? 1 : 0)
    case .int(let value): self = .integer(value)
    case .uint(let value): self = Int64(exactly: value).map { .integer($0) } ?? .text("0x" + value.hexadecimal)
    case .double(let number):
      if number.isNaN {
        self = .text(value.json.stringValue ?? "nan")
      } else {
        self = number == 0 && number.sign == .minus ? .text(SQLiteValue.minusZero) : .real(number)
      }
    case .string(let value), .url(let value): self = .text(value)
    case .data(let value): self = .blob(value)
    case .composite: self = .text(value.programJSON.description)
    case .decimal, .date, .uuid, .reference: self = .text(value.programJSON.stringValue ?? "")
    }
  }
}

/// Reads values of SQLite as values of a type.
struct SQLiteReading: Hashable, Sendable {
  /// The moment from which a number counts as a date, in seconds since 2001.
  var dateOrigin: Double = -978_307_200

  /// Dates count from 1970, as SQLite's own functions take them.
  static let unix = SQLiteReading()
  /// Dates count from 2001, as Core Data writes them.
  static let reference = SQLiteReading(dateOrigin: 0)

  /// Nil where the value is none of the type.
  func value(_ value: SQLiteValue, as type: FieldType) -> FieldValue? {
    if value == .null { return .null }
    switch type {
    case .bool: return bool(value)
    case .int: return integer(value).map { .int($0) }
    case .uint: return unsigned(value).map { .uint($0) }
    case .double: return double(value).map { .double($0) }
    case .decimal: return decimal(value)
    case .date: return date(value)
    case .uuid: return uuid(value)
    case .string: return text(value).map { .string($0) }
    case .url: return text(value).map { .url($0) }
    case .data: return data(value).map { .data($0) }
    case .composite: return composite(value)
    case .reference: return text(value).flatMap { RecordID($0) }.map { .reference($0) }
    }
  }

  private func bool(_ value: SQLiteValue) -> FieldValue? {
    switch value {
    case .integer(0), .text("false"), .text("0"): .bool(false)
    case .integer(1), .text("true"), .text("1"): .bool(true)
    default: nil
    }
  }

  private func integer(_ value: SQLiteValue) -> Int64? {
    switch value {
    case .integer(let value): value
    case .real(let value): Int64(exactly: value)
    case .text(let digits): Int64(digits)
    default: nil
    }
  }

  private func unsigned(_ value: SQLiteValue) -> UInt64? {
    switch value {
    case .integer(let value): UInt64(exactly: value)
    case .real(let value): UInt64(exactly: value)
    case .text(let digits):
      digits.hasPrefix("0x") ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
    default: nil
    }
  }

  private func double(_ value: SQLiteValue) -> Double? {
    switch value {
    case .integer(let value): Double(exactly: value)
    case .real(let value): value
    case .text(SQLiteValue.minusZero): -0.0
    case .text(let text):
      if case .double(let value)? = FieldValue(json: .string(text), type: .double) {
        value
      } else {
        NumberText.double(text)
      }
    default: nil
    }
  }

  private func decimal(_ value: SQLiteValue) -> FieldValue? {
    switch value {
    case .integer(let value): .decimal(Decimal(value))
    // The shortest digits that give the same double: 0.1 is 0.1.
    case .real(let value): DecimalText.parse(value.description).map { .decimal($0) }
    case .text(let text): DecimalText.parse(text).map { .decimal($0) }
    default: nil
    }
  }

  private func date(_ value: SQLiteValue) -> FieldValue? {
    switch value {
    case .text(let text): FieldValue(json: .string(text), type: .date)
    case .integer(let seconds): .date(Date(timeIntervalSinceReferenceDate: Double(seconds) + dateOrigin))
    case .real(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds + dateOrigin))
    default: nil
    }
  }

  private func uuid(_ value: SQLiteValue) -> FieldValue? {
    switch value {
    case .text(let text): return UUID(uuidString: text).map { .uuid($0) }
    case .blob(let bytes) where bytes.count == 16:
      return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    default: return nil
    }
  }

  private func text(_ value: SQLiteValue) -> String? {
    switch value {
    case .text(let text): text
    case .integer(let value): String(value)
    case .real(let value): value.description
    case .blob, .null: nil
    }
  }

  private func data(_ value: SQLiteValue) -> Data? {
    switch value {
    case .blob(let bytes): bytes
    // Beside bytes a column may hold what is none.
    case .text, .integer, .real: text(value).map { Data($0.utf8) }
    case .null: nil
    }
  }

  /// Text that is JSON is the value that it says; bytes are taken as they are.
  private func composite(_ value: SQLiteValue) -> FieldValue? {
    switch value {
    case .blob(let bytes): return .composite(bytes)
    case .integer(let value): return FieldValue(programJSON: .integer(value), type: .composite)
    case .text(let text):
      do {
        return FieldValue(programJSON: try JSON(parsing: text), type: .composite)
      } catch {
        // Text that is no JSON is no value of a composite; the caller names the row.
        return nil
      }
    case .real, .null: return nil
    }
  }
}
