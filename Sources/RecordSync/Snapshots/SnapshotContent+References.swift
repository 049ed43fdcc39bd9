import RecordStore

extension RecordFacts {
  /// The large values that the record names.
  var references: Set<ExternalReference> { Set(registers.compactMap { ExternalReference(stored: $0.value) }) }
}

extension SnapshotContent {
  /// The large values that anything but the records names.
  var references: Set<ExternalReference> {
    get throws {
      var found = Set(pastWrites.compactMap { ExternalReference(stored: $0.write.value) })
      for attachment in attachments where attachment.key.starts(with: SyncAttachment.conflicts) {
        let conflict = try Conflict(key: attachment.key, value: attachment.value ?? [])
        for field in conflict.fields {
          found.formUnion([field.lost, field.winning].compactMap { ExternalReference(stored: $0) })
        }
      }
      return found
    }
  }
}
