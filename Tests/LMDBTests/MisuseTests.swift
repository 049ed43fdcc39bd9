import Foundation
import LMDB
import Testing

/// Mistakes of the programmer stop the process with a sentence, each in a process of its own.
struct MisuseTests {
  @Test func `a write inside a write traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withEnvironment { environment in
        try environment.write { _ in try environment.write { _ in } }
      }
    }
    #expect(sentence(result).contains("use nested"))
  }

  @Test func `a cursor that outlives its transaction traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withEnvironment { environment in
        let database = try environment.write { try $0.createDatabase(named: "people") }
        var kept: Cursor?
        try environment.read { kept = try $0.view.cursor(database) }
        _ = consume kept
      }
    }
    #expect(sentence(result).contains("a cursor outlived its transaction"))
  }

  @Test func `a view that is used after its transaction traps in debug builds`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withEnvironment { environment in
        let view = try environment.write { $0.view }
        _ = view.id
      }
    }
    #expect(sentence(result).contains("after its transaction ended"))
  }

  private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
