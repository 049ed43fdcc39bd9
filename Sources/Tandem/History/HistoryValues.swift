import RecordStore

/// Turns a store's changes into those of a class.
struct HistoryValues<Model: PersistentModel> {
  private let binding: EntityBinding

  init(_ binding: EntityBinding) { self.binding = binding }

  /// - Parameter relationships: The places of many-to-many relationships whose links changed.
  func change(
    _ change: StoreChange, at place: Int, of number: UInt64, relationships: [Int]
  ) -> HistoryChange {
    let place = Int64(place)
    let number = Int64(clamping: number)
    let id = PersistentIdentifier(
      recordID: change.id, entityName: binding.description.name, storeIdentifier: binding.store.identifier)
    switch change.kind {
    case .insert:
      return .insert(
        DefaultHistoryInsert<Model>(
          changeIdentifier: place, transactionIdentifier: number, changedPersistentIdentifier: id))
    case .update:
      return .update(
        DefaultHistoryUpdate<Model>(
          changeIdentifier: place, transactionIdentifier: number, changedPersistentIdentifier: id,
          updatedAttributes: change.fields.compactMap { property(at: $0).flatMap { keyPath(of: $0) } }
            + keyPaths(of: relationships),
          oldValues: change.oldValues.map(tombstone), newValues: change.newValues.map(tombstone)))
    case .delete:
      return .delete(
        DefaultHistoryDelete<Model>(
          changeIdentifier: place, transactionIdentifier: number, changedPersistentIdentifier: id,
          tombstone: tombstone(change.preserved)))
    }
  }

  /// An update of an object of whose record nothing changed.
  func update(_ member: LinkedObjects.Member, of number: UInt64) -> HistoryChange {
    .update(
      DefaultHistoryUpdate<Model>(
        changeIdentifier: Int64(member.place), transactionIdentifier: Int64(clamping: number),
        changedPersistentIdentifier: member.identifier, updatedAttributes: keyPaths(of: member.properties),
        oldValues: nil, newValues: nil))
  }

  private func keyPaths(of properties: [Int]) -> [any PartialKeyPath<Model> & Sendable] {
    properties.compactMap { keyPath(of: binding.description.properties[$0]) }
  }

  private func tombstone(_ writes: [FieldWrite]) -> HistoryTombstone<Model> {
    HistoryTombstone(
      writes.compactMap { write in
        guard let property = property(at: write.ordinal), let keyPath = keyPath(of: property),
          let value = value(write.value, of: property)
        else { return nil }
        return (keyPath, value)
      })
  }

  /// Nil for a field that no property of the class shows, such as the link of a relationship without an inverse.
  private func property(at ordinal: Int) -> PropertyDescription? {
    binding.ordinals.firstIndex(of: ordinal).map { binding.description.properties[$0] }
  }

  private func keyPath(of property: PropertyDescription) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let keyPath = property.keyPath as? PartialKeyPath<Model> else { return nil }
    // The macro writes key paths of stored properties, which capture nothing; the mark has no representation.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }

  private func value(_ value: FieldValue, of property: PropertyDescription) -> (any Sendable)? {
    switch property.kind {
    case .attribute(let codec):
      guard let decoded = codec.decode(value) else { return nil }
      // A value decoded just now, which nobody else holds; the mark has no representation.
      return unsafeBitCast(decoded as Any, to: (any Sendable).self)
    case .toOne:
      guard case .reference(let id) = value, let target = binding.destination(of: property.index) else { return nil }
      return PersistentIdentifier(
        recordID: id, entityName: target.description.name, storeIdentifier: target.store.identifier)
    case .toMany, .unsupported: return nil
    }
  }
}

extension HistoryChange {
  /// Nil for records that no class shows.
  init?(
    _ change: StoreChange, at place: Int, of number: UInt64, _ classes: ChangedClasses, _ linked: LinkedObjects
  ) {
    let member = change.kind == .update ? linked[change.id] : nil
    guard let binding = member?.binding ?? classes.binding(of: change) else { return nil }
    func opened<M: PersistentModel>(_ type: M.Type) -> HistoryChange {
      HistoryValues<M>(binding).change(change, at: place, of: number, relationships: member?.properties ?? [])
    }
    self = opened(binding.description.type)
  }

  /// The update of an object that is told of for its links alone.
  init(_ member: LinkedObjects.Member, of number: UInt64) {
    func opened<M: PersistentModel>(_ type: M.Type) -> HistoryChange {
      HistoryValues<M>(member.binding).update(member, of: number)
    }
    self = opened(member.binding.description.type)
  }
}
