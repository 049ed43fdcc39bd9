public import Foundation

extension RecordStore {
  /// A consistent copy of the store in a directory that does not exist yet. The copy is a replica of its own.
  public func copy(to url: URL) throws {
    guard try FileItem.at(url) == nil else {
      throw StoreError(
        .invalidRequest, "cannot copy the store to \(url.path): something is there already; choose another path")
    }
    let directory = try NewDirectory(for: url.standardizedFileURL, mode: configuration.directoryMode)
    try StoreCopy(directory: directory.url, configuration: configuration)
      .fill(from: core.environment, compacting: true)
    try CopyAdoption(directory.url, configuration).run(because: .copied)
    try directory.publish()
  }
}
