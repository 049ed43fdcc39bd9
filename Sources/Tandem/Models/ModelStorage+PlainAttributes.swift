public import Foundation

// The common types once more, without a type parameter: the compiler prefers these, and a getter in another module then
// calls code for its very type instead of asking the runtime for metadata at each read.

extension ModelStorage {
  /// Part of the expansion of ``Model()``: the value of a Boolean attribute; false where the record has none.
  public func get(_ index: Int) -> Bool { value(index) ?? false }
  /// Part of the expansion of ``Model()``: the value of an optional Boolean attribute.
  public func get(_ index: Int) -> Bool? { value(index) }
  /// Part of the expansion of ``Model()``: the value of an integer attribute; zero where the record has none.
  public func get(_ index: Int) -> Int { value(index) ?? 0 }
  /// Part of the expansion of ``Model()``: the value of an optional integer attribute.
  public func get(_ index: Int) -> Int? { value(index) }
  /// Part of the expansion of ``Model()``: the value of a floating-point attribute; zero where the record has none.
  public func get(_ index: Int) -> Double { value(index) ?? 0 }
  /// Part of the expansion of ``Model()``: the value of an optional floating-point attribute.
  public func get(_ index: Int) -> Double? { value(index) }
  /// Part of the expansion of ``Model()``: the value of a text attribute; empty where the record has none.
  public func get(_ index: Int) -> String { value(index) ?? "" }
  /// Part of the expansion of ``Model()``: the value of an optional text attribute.
  public func get(_ index: Int) -> String? { value(index) }
  /// Part of the expansion of ``Model()``: the value of a date attribute; the reference date where the record has none.
  public func get(_ index: Int) -> Date { value(index) ?? Date._zero }
  /// Part of the expansion of ``Model()``: the value of an optional date attribute.
  public func get(_ index: Int) -> Date? { value(index) }
  /// Part of the expansion of ``Model()``: the value of a UUID attribute; all zeros where the record has none.
  public func get(_ index: Int) -> UUID { value(index) ?? UUID._zero }
  /// Part of the expansion of ``Model()``: the value of an optional UUID attribute.
  public func get(_ index: Int) -> UUID? { value(index) }
  /// Part of the expansion of ``Model()``: the value of a decimal attribute; zero where the record has none.
  public func get(_ index: Int) -> Decimal { value(index) ?? 0 }
  /// Part of the expansion of ``Model()``: the value of an optional decimal attribute.
  public func get(_ index: Int) -> Decimal? { value(index) }
  /// Part of the expansion of ``Model()``: the value of a data attribute; empty where the record has none.
  public func get(_ index: Int) -> Data { value(index) ?? Data() }
  /// Part of the expansion of ``Model()``: the value of an optional data attribute.
  public func get(_ index: Int) -> Data? { value(index) }

  /// Part of the expansion of ``Model()``: gives a Boolean attribute its first value.
  public func initialize(_ index: Int, to value: Bool) { slots[index] = .value(value._fieldValue) }
  /// Part of the expansion of ``Model()``: gives an integer attribute its first value.
  public func initialize(_ index: Int, to value: Int) { slots[index] = .value(value._fieldValue) }
  /// Part of the expansion of ``Model()``: gives a floating-point attribute its first value.
  public func initialize(_ index: Int, to value: Double) { slots[index] = .value(value._fieldValue) }
  /// Part of the expansion of ``Model()``: gives a text attribute its first value.
  public func initialize(_ index: Int, to value: String) { slots[index] = .value(value._fieldValue) }
  /// Part of the expansion of ``Model()``: gives a date attribute its first value.
  public func initialize(_ index: Int, to value: Date) { slots[index] = .value(value._fieldValue) }
  /// Part of the expansion of ``Model()``: gives a UUID attribute its first value.
  public func initialize(_ index: Int, to value: UUID) { slots[index] = .value(value._fieldValue) }
  /// Part of the expansion of ``Model()``: gives a decimal attribute its first value.
  public func initialize(_ index: Int, to value: Decimal) { slots[index] = .value(value._fieldValue) }
  /// Part of the expansion of ``Model()``: gives a data attribute its first value.
  public func initialize(_ index: Int, to value: Data) { slots[index] = .value(value._fieldValue) }
}
