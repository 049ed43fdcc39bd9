import RecordStore

/// Which objects inserted here will turn out to be records that exist already, by a unique value.
struct PendingIdentities {
  /// By record of an inserted object, the record that it will be.
  private var becomes: [RecordID: RecordID] = [:]
  /// Inserted objects that a later insert of the same save replaces.
  private var shadowed: Set<ObjectIdentifier> = []
  /// Records whose values an inserted object will replace.
  var replaced: Set<RecordID> { Set(becomes.values) }

  /// From the inserted and changed objects of a class, in the order in which they became so.
  init(_ weighed: [any PersistentModel], _ context: ModelContext, _ binding: EntityBinding) throws {
    guard binding.hasUniqueValues else { return }
    let inserted = weighed.filter { $0._$storage.flags.contains(.inserted) }
    guard !inserted.isEmpty else { return }
    var owners: [UniqueValue: any PersistentModel] = [:]
    for model in weighed where !model._$storage.flags.contains(.inserted) {
      for key in UniqueValue.adopted(of: model._$storage) { owners[key] = model }
    }
    for model in inserted {
      let storage = model._$storage
      // Where a save refuses the insert, the other object stays in sight.
      let keys = UniqueValue.adopted(of: storage)
      if let earlier = keys.lazy.compactMap({ owners[$0] }).first {
        let identity = earlier._$storage.recordID
        becomes[storage.recordID] = becomes[identity] ?? identity
        shadowed.insert(ObjectIdentifier(earlier))
      } else if let existing = try Self.stored(keys, binding, context, except: { context.isAffected($0) }) {
        becomes[storage.recordID] = existing
      }
      for key in keys { owners[key] = model }
    }
  }

  func isShadowed(_ model: any PersistentModel) -> Bool { shadowed.contains(ObjectIdentifier(model)) }
  func isReplaced(_ id: RecordID) -> Bool { becomes.values.contains(id) }
  /// The id that an object's record will have.
  func identity(of id: RecordID) -> RecordID { becomes[id] ?? id }

  private static func stored(
    _ keys: [UniqueValue], _ binding: EntityBinding, _ context: ModelContext, except isAffected: (RecordID) -> Bool
  ) throws -> RecordID? {
    try context.read(binding.store) { snapshot in
      for key in keys {
        // The catalogue is the store's own, as another process may have migrated it.
        let index = snapshot.catalogue.entities[key.entity].indexes.first { index in
          index.isUnique && index.components.map(\.ordinal) == key.ordinals
        }
        guard let index, let id = try snapshot.lookUp(index, of: key.entity, values: key.values) else { continue }
        if !isAffected(id) { return id }
      }
      return nil
    }
  }
}
