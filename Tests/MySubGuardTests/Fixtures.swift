import Foundation

/// Files of the repository that tests read.
enum Fixtures {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let devices = repository.appending(path: "SyncFixtures/devices")
}
