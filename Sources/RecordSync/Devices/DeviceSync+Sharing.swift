import RecordStore

extension DeviceSync {
  /// Saves on a reader's device, which nobody gets.
  func tellOfKeptSaves(_ stores: [String: RecordStore], _ report: inout DeviceReport.Store) throws {
    for (path, store) in stores {
      guard let sentence = try SyncEngine.sentence(onSavesKeptIn: store) else { continue }
      report.devices[path, default: SyncReport()].warnings.append(sentence)
    }
  }
}
