import Foundation
import RecordStore

extension AggregateValue {
  func count() throws -> Int {
    guard case .count(let count) = self else { throw mismatch }
    return count
  }

  func integer<Value: FixedWidthInteger>() throws -> Value {
    guard case .integer(let sum) = self else { throw mismatch }
    guard let value = Value(exactly: sum) else {
      throw SwiftDataError(
        .aggregateOverflow, "a sum of integers, \(sum), does not fit \(Value.self): sum fewer objects, or a Double")
    }
    return value
  }

  func double() throws -> Double {
    switch self {
    case .double(let sum): return sum
    case .integer(let sum): return Double(sum)
    case .count, .decimal, .value: throw mismatch
    }
  }

  func decimal() throws -> Decimal {
    guard case .decimal(let sum) = self else { throw mismatch }
    guard let value = sum.decimal else {
      throw SwiftDataError(
        .aggregateOverflow, "a sum of decimals has more than 38 digits: sum fewer objects, or round them first")
    }
    return value
  }

  /// The property is stored as another kind of value than its type has by itself.
  private var mismatch: SwiftDataError {
    SwiftDataError(.unsupportedKeyPath, "a property that is stored as encoded bytes has no sum: sum a number")
  }
}
