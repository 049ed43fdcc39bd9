import Foundation
import TestSupport
import Testing

/// Every input of the corpus by every harness's own promise; see `Harness`.
@Suite struct CorpusTests {
  @Test(arguments: Harness.all.map(\.name))
  func `every input of the corpus is read or refused as promised`(name: String) async throws {
    let harness = try #require(Harness.named(name))
    let corpus = try Corpus(of: harness)
    #expect(!corpus.inputs.isEmpty, "there is no corpus for \(name)")
    let troubles = try await onItsOwnThread { corpus.inputs.compactMap { trouble(of: $0, harness) } }
    #expect(troubles.isEmpty)
  }

  @Test func `the corpus has no folder that no harness reads, and stays small`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Corpus.root.path)
    #expect(Set(folders) == Set(Harness.all.map(\.name)))
    let bytes = try Harness.all.map { try Corpus(of: $0).inputs.reduce(0) { $0 + $1.bytes.count } }.reduce(0, +)
    #expect(bytes < 1 << 20)
  }
}

/// What is wrong with an input; nil if nothing is.
private func trouble(of input: (name: String, bytes: [UInt8]), _ harness: Harness) -> String? {
  do {
    let isTaken = try harness.run(input.bytes)
    // Else a seed no longer fits its format, and mutations of it are refused before they meet anything.
    return isTaken || !input.name.hasPrefix("seed-") ? nil : "\(harness.name) refuses its seed \(input.name)"
  } catch {
    return "\(harness.name) breaks a promise for \(input.name): \(error)"
  }
}

/// Runs `body` on a thread of its own: harnesses wait for engines, which Swift's shared threads must not.
func onItsOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// The inputs in `SyncFixtures/fuzz/<name>`: seeds, of which the reader takes each, and what broke a promise once.
struct Corpus: Sendable {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/fuzz").standardizedFileURL

  let inputs: [(name: String, bytes: [UInt8])]

  init(of harness: Harness) throws {
    let folder = Corpus.root.appending(path: harness.name)
    inputs = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, Array(try Data(contentsOf: folder.appending(path: name))))
    }
  }
}
