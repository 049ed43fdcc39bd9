import Foundation

/// A value as SQLite stores it: five storage classes, whatever type a column declares.
enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}
