import RecordStore

// The values of an object that a save is to insert, in the bytes that its record will have.
//
// A slot takes 24 bytes, and a text of more than 15 as many again as it is long. The bytes are what the save needs
// anyway: made while the object lies in the processor's cache, they spare the save a second look at its values.

extension ModelStorage {
  /// Whether all values lie in the draft of a record that is still to be inserted.
  package var isPacked: Bool { slots.isEmpty && hasRecord && flags.contains(.inserted) }

  /// The piece of memory that keeps the draft of a packed object.
  var piece: DraftMemory.Piece? { isPacked ? memory as? DraftMemory.Piece : nil }

  /// Moves the values into a draft. An object stays as it is if something of it has no place there, such as a link or
  /// an attribute that is not stored; if a value lies there in another form, as one that the app encodes; or if only
  /// the general way of a save can judge it.
  func pack(into memory: DraftMemory) {
    // Not again: an object that left and came back is listed twice.
    guard let binding, flags == .inserted, !slots.isEmpty, edits == nil, isPackable(binding) else { return }
    let draft = memory.write(binding.draft) { record in
      for index in binding.storedIndexes {
        guard case .value(let value) = slots[index] else { continue }
        guard record.write(binding.places[index].ordinal, value) else { return false }
      }
      return true
    }
    guard let draft else { return }
    take(draft.view, in: draft.piece)
    slots = []
  }

  private func isPackable(_ binding: EntityBinding) -> Bool {
    guard !binding.hasRelationships, binding.classWrite == nil, binding.store.foreign == nil else { return false }
    return slots.indices.allSatisfy { index in
      switch slots[index] {
      // In a record, what looks like a reference would be read as one.
      case .value(let value): binding.places[index].ordinal >= 0 && !ExternalReference.isOne(stored: value)
      // Its default must not be seen before the save gives it.
      case .empty: binding.fields[index].map { $0.valueWhenAbsent == .null } ?? true
      case .composite, .toOne, .toMany: false
      }
    }
  }

  /// Whether a property of a packed object has a value, and does not wait for the one that the save gives it.
  func isGiven(_ index: Int) -> Bool {
    guard let places, places[index].ordinal >= 0 else { return false }
    return withExtendedLifetime(self) { view.isGiven(at: places[index].ordinal) }
  }

  /// Moves the values back, for one of them is to be set or kept.
  func unpack() {
    guard let binding else { return }
    var values = Slot.empty(description.properties.count)
    for index in binding.storedIndexes where isGiven(index) { values[index] = .value(recordValue(index) ?? .null) }
    forgetRecord()
    slots = values
  }
}

extension ModelContext {
  /// Packs the objects that were inserted a while ago. Those that came last are likely still to be given values.
  func packInserted() {
    pack(upTo: pendingLists.inserted.count - unpackedCount)
  }

  /// A save begins: what is packed spares it a look, and objects that nobody holds go as those before them did.
  func packRest() {
    if pendingLists.unheld != nil { pack(upTo: pendingLists.inserted.count) }
  }

  private func pack(upTo end: Int) {
    let memory = pendingLists.drafts ?? DraftMemory()
    pendingLists.drafts = memory
    let start = pendingLists.packedCount
    for place in start..<end { pendingLists.inserted[place]._$storage.pack(into: memory) }
    pendingLists.packedCount = end
    letGoOfUnheld(in: start..<end)
  }
}
