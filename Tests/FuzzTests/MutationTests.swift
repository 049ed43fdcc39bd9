import Foundation
import TestSupport
import Testing

/// What tools/fuzz does with libFuzzer, in small and without its instrumentation: mutations of the corpus for some
/// seconds a harness, drawn with a printed seed.
///
/// `TANDEM_SEED` repeats a run, as far as it got; `TANDEM_FUZZ_SECONDS` gives each harness more or less than its share
/// of a minute. What broke a promise is written into a file that the failure names: minimised, it belongs into the
/// corpus.
@Suite(.serialized) struct MutationTests {
  private static let seconds =
    ProcessInfo.processInfo.environment["TANDEM_FUZZ_SECONDS"].flatMap(Double.init) ?? 60 / Double(Harness.all.count)

  @Test(arguments: Harness.all.map(\.name))
  func `mutations of the corpus are read or refused as promised`(name: String) async throws {
    let harness = try #require(Harness.named(name))
    let mutator = Mutator(try Corpus(of: harness).inputs.map(\.bytes), generator: .announced("mutations of \(name)"))
    let trouble = try await onItsOwnThread { try Self.run(harness, mutator) }
    #expect(trouble == nil)
  }

  /// What broke a promise; nil if nothing did.
  private static func run(_ harness: Harness, _ mutator: Mutator) throws -> String? {
    var mutator = mutator
    // Ends the loop and decides nothing: a slow machine tries fewer.
    let end = ContinuousClock.now + .seconds(seconds)
    var count = 0
    while count == 0 || ContinuousClock.now < end {
      let input = mutator.next(maximumByteCount: harness.maximumByteCount)
      count += 1
      do {
        _ = try harness.run(input)
      } catch {
        let name = "tandem-fuzz-\(harness.name)-\(mutator.seed)"
        let file = FileManager.default.temporaryDirectory.appending(path: name)
        try Data(input).write(to: file)
        return "\(harness.name) breaks a promise at mutation \(count): \(error); the input is in \(file.path)"
      }
    }
    print("mutations of \(harness.name): \(count)")
    return nil
  }
}
