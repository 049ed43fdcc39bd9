public import Foundation

// The common types once more, without a type parameter: the compiler prefers these, and a getter in another module then
// calls code for its very type instead of asking the runtime for metadata at each read.

extension ModelStorage {
  public func get(_ index: Int) -> Bool { value(index) ?? false }
  public func get(_ index: Int) -> Bool? { value(index) }
  public func get(_ index: Int) -> Int { value(index) ?? 0 }
  public func get(_ index: Int) -> Int? { value(index) }
  public func get(_ index: Int) -> Double { value(index) ?? 0 }
  public func get(_ index: Int) -> Double? { value(index) }
  public func get(_ index: Int) -> String { value(index) ?? "" }
  public func get(_ index: Int) -> String? { value(index) }
  public func get(_ index: Int) -> Date { value(index) ?? Date._zero }
  public func get(_ index: Int) -> Date? { value(index) }
  public func get(_ index: Int) -> UUID { value(index) ?? UUID._zero }
  public func get(_ index: Int) -> UUID? { value(index) }
  public func get(_ index: Int) -> Decimal { value(index) ?? 0 }
  public func get(_ index: Int) -> Decimal? { value(index) }
  public func get(_ index: Int) -> Data { value(index) ?? Data() }
  public func get(_ index: Int) -> Data? { value(index) }

  public func initialize(_ index: Int, to value: Bool) { slots[index] = .value(value._fieldValue) }
  public func initialize(_ index: Int, to value: Int) { slots[index] = .value(value._fieldValue) }
  public func initialize(_ index: Int, to value: Double) { slots[index] = .value(value._fieldValue) }
  public func initialize(_ index: Int, to value: String) { slots[index] = .value(value._fieldValue) }
  public func initialize(_ index: Int, to value: Date) { slots[index] = .value(value._fieldValue) }
  public func initialize(_ index: Int, to value: UUID) { slots[index] = .value(value._fieldValue) }
  public func initialize(_ index: Int, to value: Decimal) { slots[index] = .value(value._fieldValue) }
  public func initialize(_ index: Int, to value: Data) { slots[index] = .value(value._fieldValue) }
}
