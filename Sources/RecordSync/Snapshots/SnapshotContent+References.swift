import RecordStore

extension RecordFacts {
  /// The large values that the record names.
  var references: Set<ExternalReference> { Set(registers.compactMap { ExternalReference(stored: $0.value) }) }
}

extension SnapshotContent {
  /// The large values that anything but the records names.
  var references: Set<ExternalReference> {
    get throws {
      Set((pastWrites.map(\.write.value) + (try conflictValues)).compactMap { ExternalReference(stored: $0) })
    }
  }

  /// The values of which the conflict log speaks.
  var conflictValues: [FieldValue] {
    get throws {
      try attachments.filter { $0.key.starts(with: SyncAttachment.conflicts) }.flatMap { attachment in
        try Conflict(key: attachment.key, value: attachment.value ?? []).fields.flatMap { [$0.lost, $0.winning] }
      }
    }
  }
}
