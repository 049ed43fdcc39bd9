import Foundation
import HelperProcess
import Tandem
import TandemSync
import Testing

/// Programs that synchronise by themselves.
struct SyncProcessTests {
  private func program(_ store: URL, _ folder: URL) throws -> HelperProcess {
    let program = try HelperProcess(arguments: [store.path, folder.path], program: "sync-test-helper")
    try program.expect("ready")
    return program
  }

  private func order(_ program: HelperProcess, _ line: String) throws {
    try program.send(line)
    try program.expect("done")
  }

  @Test func `two programs on one store synchronise it together, and one goes on when the other is killed`()
    async throws
  {
    try await Devices.with { devices in
      for device in ["phone", "laptop"] { _ = try devices.container(device) }
      let (app, widget) = (
        try program(devices.store("phone"), devices.folder), try program(devices.store("phone"), devices.folder)
      )
      let there = try program(devices.store("laptop"), devices.folder)
      try order(app, "add milk")
      try order(widget, "add bread")
      try order(there, "await milk")
      try order(there, "await bread")
      try order(there, "add salt")
      try order(widget, "await salt")
      app.kill()
      try order(widget, "add oil")
      try order(there, "await oil")
      for program in [widget, there] { try order(program, "stop") }
      let expected = ["bread", "milk", "oil", "salt"]
      for device in ["phone", "laptop"] { #expect(try texts(devices.container(device)) == expected) }
    }
  }
}
