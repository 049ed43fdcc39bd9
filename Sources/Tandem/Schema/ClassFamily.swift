import RecordStore

/// The classes of a container that share an entity: a hierarchy with at least one subclass.
///
/// `@unchecked Sendable` because metatypes carry no such mark; all is set before sharing. The bindings outlive it, as
/// the container's core holds all of them.
final class ClassFamily: @unchecked Sendable {
  /// The field with the name of the object's class.
  private let ordinal: Int
  private unowned let root: EntityBinding
  private let members: [String: EntityBinding.Unowned]

  /// Nil for an entity of one class.
  init?(_ bindings: [EntityBinding]) {
    guard bindings.count > 1, let root = bindings.first(where: { $0.description.superclass == nil }),
      let field = root.entity.field(named: ClassField.name), field.isDeclared
    else { return nil }
    ordinal = field.ordinal
    self.root = root
    members = Dictionary(bindings.map { ($0.description.name, .init(binding: $0)) }) { first, _ in first }
  }

  // MARK: Records

  /// The class of a record's object; the root for a class that this process does not have.
  func binding(of view: RecordView) -> EntityBinding {
    guard case .string(let name) = view.value(at: ordinal, type: .string) else { return root }
    return members[name]?.binding ?? root
  }

  /// As `binding(of:)`, for fields that history kept.
  func binding(of writes: [FieldWrite]) -> EntityBinding? {
    guard let write = writes.first(where: { $0.ordinal == ordinal }), case .string(let name) = write.value else {
      return nil
    }
    return members[name]?.binding
  }

  /// The field that a new record of the class is given; nil for the root.
  func write(_ binding: EntityBinding) -> FieldWrite? {
    binding === root ? nil : FieldWrite(ordinal, .string(binding.description.name))
  }

  // MARK: Conditions

  /// The records of a class and of those below it: `path` leads to the record from the one that is asked for.
  func filter(_ binding: EntityBinding, at path: FieldPath = FieldPath()) -> RecordFilter {
    guard binding !== root else { return .all }
    return oneOf(names { $0.description.isKind(of: binding.description) }, at: path)
  }

  /// The records of a class without those below it.
  func exactFilter(_ binding: EntityBinding, at path: FieldPath = FieldPath()) -> RecordFilter {
    guard binding === root else { return oneOf([binding.description.name], at: path) }
    return .not(oneOf(names { $0 !== root }, at: path))
  }

  /// The binding of a class, if it is of the family.
  func binding(of type: any Any.Type) -> EntityBinding? {
    members.values.first { $0.binding.description.type == type }?.binding
  }

  func binding(named name: String) -> EntityBinding? { members[name]?.binding }

  private func names(_ isIncluded: (EntityBinding) -> Bool) -> [String] {
    members.filter { isIncluded($0.value.binding) }.keys.sorted()
  }

  private func oneOf(_ names: [String], at path: FieldPath) -> RecordFilter {
    let path = FieldPath(ordinals: path.ordinals + [ordinal])
    return names.count == 1 ? .compare(path, .equal, .string(names[0])) : .oneOf(path, names.map { .string($0) })
  }
}
