import RecordStore

/// Finds where the attributes of one class's records lie, for all records of a walk.
///
/// A key path is found in a dictionary once: then it is known by its address, mostly as the one behind the last.
@usableFromInline
final class StoredRecordReader {
  private let binding: EntityBinding
  private let context: ModelContext
  @exclusivity(unchecked) private var paths: ContiguousArray<(path: AnyKeyPath, index: Int, plainOrdinal: Int)> = []
  @exclusivity(unchecked) private var place = 0

  private static let maximumPathCount = 256

  init(_ binding: EntityBinding, _ context: ModelContext) {
    self.binding = binding
    self.context = context
  }

  /// The ordinal of an attribute whose form its type tells; -1 for any other.
  @usableFromInline
  func plainOrdinal(of path: AnyKeyPath) -> Int { paths[known(path)].plainOrdinal }

  private func index(of path: AnyKeyPath) -> Int { paths[known(path)].index }

  /// The place of a key path among those that were asked for.
  private func known(_ path: AnyKeyPath) -> Int {
    if place < paths.count, paths[place].path === path { return passed(place) }
    if let found = paths.firstIndex(where: { $0.path === path }) { return passed(found) }
    guard let index = binding.index(of: path) else {
      preconditionFailure("\(path) is not a stored property of \(binding.description.name).")
    }
    let attribute = binding.description.properties[index].attribute
    let isPlain = attribute?.isCodable != true && attribute?.transformer == nil
    // A place in the source has one key path; those that code makes anew for each record would fill memory.
    if paths.count == Self.maximumPathCount { paths.removeAll(keepingCapacity: true) }
    paths.append((path, index, isPlain ? binding.ordinals[index] : -1))
    return passed(paths.count - 1)
  }

  private func passed(_ found: Int) -> Int {
    place = found + 1 < paths.count ? found + 1 : 0
    return found
  }

  // MARK: Attributes

  /// The value by the property's codec, its default where the record never got one; nil for null.
  @usableFromInline
  func decoded<V>(_ path: AnyKeyPath, _ view: RecordView) -> V? {
    let property = binding.description.properties[index(of: path)]
    guard case .attribute(let codec) = property.kind else { return nil }
    guard let field = binding.fields[property.index] else { return property.defaultValue as? V }
    return codec.decode(view.value(of: field)) as? V
  }

  @usableFromInline
  func missingCase<V: RawRepresentable>(_ path: AnyKeyPath) -> V where V.RawValue: PrimitiveAttribute {
    MissingValue.raw(V.self, of: blank, index(of: path))
  }

  func missing<V>(_ path: AnyKeyPath) -> V { blank.missing(index(of: path)) }

  /// An object's storage without values, which knows what stands for one that is missing.
  private var blank: ModelStorage { .empty(binding.description, RecordIDGenerator.shared.next()) }

  // MARK: Identifiers

  func identifier(of id: RecordID, _ view: RecordView) -> PersistentIdentifier {
    identifier(of: id, binding.binding(of: view))
  }

  private func identifier(of id: RecordID, _ binding: EntityBinding) -> PersistentIdentifier {
    PersistentIdentifier(
      recordID: id, entityName: binding.description.name, storeIdentifier: binding.store.identifier)
  }

  func target(of path: AnyKeyPath, _ id: RecordID, _ view: RecordView) throws -> PersistentIdentifier? {
    let index = index(of: path)
    guard let destination = binding.destination(of: index), let relationship = binding.relationships[index] else {
      return nil
    }
    let target: RecordID?
    if case .reference(let ordinal) = relationship.storage {
      target = view.reference(at: ordinal)
    } else {
      let name = binding.description.properties[index].storedName
      target = try context.read(binding.store) {
        try $0.related(id, of: binding.entity.number, relationship: name).first
      }
    }
    guard let target else { return nil }
    guard destination.family != nil else { return identifier(of: target, destination) }
    return try context.read(binding.store) { snapshot in
      try snapshot.row(target, of: destination.entity.number).map {
        identifier(of: target, destination.binding(of: $0.view))
      }
    }
  }
}
