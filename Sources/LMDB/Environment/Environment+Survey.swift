extension Environment {
  /// Reads the pages of one snapshot, from the file and without LMDB: what is damaged is found, and ends no process.
  /// While it lasts, no page that the snapshot sees is used again.
  package func survey(progress: @escaping (UInt64, UInt64) -> Void = { _, _ in }) throws -> DataFileSurvey {
    while true {
      let found = try read { transaction throws in
        try DataFileSurvey.run(directory: path, of: transaction.view.id, progress: progress)
      }
      // Two commits since the snapshot began have replaced both meta pages: the next one is newer.
      if let found { return found }
    }
  }
}
