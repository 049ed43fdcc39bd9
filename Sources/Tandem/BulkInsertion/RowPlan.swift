import RecordStore

/// The knowledge of one class that taking rows of it needs, found once an insertion.
///
/// A class: of many parts, which are looked at for each row and never change.
final class RowPlan {
  /// A default, evaluated for each row that leaves its property out, as an initialiser does.
  struct Default {
    let index: Int
    let make: () -> Any?
  }

  let binding: EntityBinding
  /// Per property, whether the form of its values is one that the type does not tell.
  let isCoded: ContiguousArray<Bool>
  /// Per property, whether its value stands in the row's own record.
  let isField: ContiguousArray<Bool>
  let defaults: [Default]
  /// The properties without which there is no record.
  let required: [Int]

  init(_ binding: EntityBinding) {
    self.binding = binding
    let properties = binding.description.properties
    isCoded = ContiguousArray(properties.map { $0.attribute?.isCodable == true || $0.attribute?.transformer != nil })
    isField = ContiguousArray(binding.ordinals.map { $0 >= 0 })
    defaults = properties.compactMap { property in
      guard case .attribute = property.kind, binding.ordinals[property.index] >= 0 else { return nil }
      return property.makeDefault.map { Default(index: property.index, make: $0) }
    }
    required = properties.filter { property in
      !property.isToMany && !property.isOptional && property.isStored && property.makeDefault == nil
    }.map(\.index)
  }

  /// "Book.title", for messages.
  func name(_ index: Int) -> String { "\(binding.description.name).\(binding.description.properties[index].name)" }

  /// A value in the form that the attribute's options ask for.
  func encoded(_ value: Any, _ index: Int) throws -> FieldValue {
    guard case .attribute(let codec) = binding.description.properties[index].kind, let encoded = codec.encode(value)
    else {
      throw SwiftDataError(
        .modelValidationFailure, "\(name(index)) has a value that its coding refuses: give another value")
    }
    return encoded
  }
}
