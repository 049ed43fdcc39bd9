import Foundation
import RecordStore

/// The value of a property that must have one and whose record has none that the type can take: an
/// object whose record is gone, a field added without a default, or bytes of another version of the type.
///
/// In this order: the property's default, the type's zero or first case, a value made from nothing. A type that refuses
/// even that ends the process, by a sentence that release builds print, too: a read has no way to throw.
enum MissingValue {
  static func raw<V: RawRepresentable>(_ type: V.Type, of storage: ModelStorage, _ index: Int) -> V
  where V.RawValue: PrimitiveAttribute {
    if let value = storage.description.properties[index].defaultValue as? V { return value }
    if let zero = V(rawValue: V.RawValue._zero) { return zero }
    if let cases = type as? any CaseIterable.Type, let first = first(of: cases) as? V { return first }
    if let decodable = type as? any Decodable.Type, let value = BlankDecoder.value(of: decodable) as? V { return value }
    fatalError("\(sentence(V.self, of: storage, index)), or make \(V.self) CaseIterable.")
  }

  private static func sentence<V>(_ type: V.Type, of storage: ModelStorage, _ index: Int) -> String {
    let (model, property) = (storage.description.name, storage.description.properties[index].name)
    return
      "The record \(storage.recordID) has no value for \(model).\(property) that \(type) can read, and the property "
      + "is neither optional nor has a default: give it a default"
  }

  static func first<C: CaseIterable>(of type: C.Type) -> Any? { type.allCases.first }

  static func coded<V>(_ type: V.Type, of storage: ModelStorage, _ index: Int) -> V {
    if let value = storage.description.properties[index].defaultValue as? V { return value }
    if let decodable = type as? any Decodable.Type, let value = BlankDecoder.value(of: decodable) as? V { return value }
    fatalError("\(sentence(V.self, of: storage, index)).")
  }
}
