import Foundation
import RecordStore
import RecordSync

// The last exchange, file by file.
extension ScenarioWorld {
  /// Every transaction in a file of its own, and for each receiver the files that it lacks one by one, in the order
  /// with this number. Returns how many files a receiver got at most.
  func exchangeFiles(orderNumber number: Int, seed: UInt64) async throws -> Int {
    let names = replicas.map(\.name)
    for name in names where replica(name).isFolderWiped { try bringBack(name) }
    for name in names { try await export(name, transactionsApart: true) }
    var most = 0
    for receiver in names {
      let files = try names.filter { $0 != receiver }.flatMap { try missingFiles(of: $0, at: receiver) }
      most = max(most, files.count)
      for place in FileOrders.order(of: files.count, number: number, seed: seed) {
        try replace(files[place].target, by: files[place].source)
        try await importing(receiver)
      }
    }
    for name in names {
      try await importing(name)
      let merged = replica(name).report.transactionsMerged
      guard merged == 0 else { throw ScenarioError("the last exchange: \(name) merged \(merged) transactions twice") }
    }
    return most
  }

  /// Change sets of an author that a receiver has not, or not whole.
  private func missingFiles(of author: String, at receiver: String) throws -> [(source: URL, target: URL)] {
    try files(of: author, in: author).compactMap { source in
      let target = replica(receiver).folder.appending(path: source.pathComponents.suffix(5).joined(separator: "/"))
      let isThere = FileManager.default.contentsEqual(atPath: source.path, andPath: target.path)
      return isThere ? nil : (source, target)
    }
  }
}
