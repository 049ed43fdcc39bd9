import RecordStore

/// The meaning of a part of a predicate, when a filter over records can say it.
enum PredicateOperand {
  /// An object: the one that is tested, or one that a chain of references leads to.
  struct Object {
    let table: PropertyTable
    var path = FieldPath()
    /// Whether there may be none.
    var isOptional = false
  }

  /// The value of an attribute.
  struct Field {
    let path: FieldPath
    let codec: AttributeCodec
    /// The property's type without its optionality.
    let plainType: any Any.Type
    /// Whether it may be nil: by its type, or because an object on the way may be missing.
    var isOptional: Bool
    /// Whether Swift compares values of the type as the store compares their fields.
    var isRawRepresentable: Bool { !(plainType is any PrimitiveAttribute.Type) }
  }

  case constant(Any)
  case object(Object)
  case identifier(Object)
  case field(Field)
  /// An attribute, or a constant where it is nil.
  case coalesced(Field, Any)
  /// The objects of a to-many relationship of the tested object that pass a filter.
  case related(String, PropertyTable, RecordFilter)
  case relatedCount(String, RecordFilter)
  case condition(RecordFilter)
  /// A text without case and accents, for a search.
  indirect case searchKey(PredicateOperand)
  /// A condition where `path` is not nil, else nil.
  case optionalCondition(path: FieldPath, RecordFilter)
  /// The operand's meaning where the condition holds, else nil: an object as one of a subclass.
  indirect case guarded(RecordFilter, PredicateOperand)
}

extension PredicateOperand {
  /// A property of what the operand stands for.
  static func property(_ property: PropertyDescription, of object: Object) -> PredicateOperand? {
    let ordinal = object.table.ordinals[property.index]
    let path = FieldPath(ordinals: object.path.ordinals + [ordinal])
    let isOptional = property.isOptional || object.isOptional
    switch property.kind {
    case .attribute(let codec):
      guard ordinal >= 0 else { return nil }
      let plainType = (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
      return .field(Field(path: path, codec: codec, plainType: plainType, isOptional: isOptional))
    case .toOne:
      guard ordinal >= 0, let table = object.table.destination(property.index) else { return nil }
      return .object(Object(table: table, path: path, isOptional: isOptional))
    case .toMany:
      // The store counts and searches the links of the queried record only.
      guard object.path.ordinals.isEmpty, let table = object.table.destination(property.index) else { return nil }
      return .related(property.storedName, table, .all)
    case .unsupported: return nil
    }
  }

  /// As a condition: a Boolean property stands for itself.
  var filter: RecordFilter? {
    switch self {
    case .condition(let filter): filter
    case .constant(let value): (value as? Bool).map { $0 ? .all : .none }
    case .field(let field) where !field.isOptional: PredicateComparison(.equal).filter(self, .constant(true))
    case .coalesced: PredicateComparison(.equal).filter(self, .constant(true))
    default: nil
    }
  }
}

extension FieldPath {
  func hasPrefix(_ other: FieldPath) -> Bool { ordinals.starts(with: other.ordinals) }
}
