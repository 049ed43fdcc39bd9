import Foundation
import HelperProcess
import Testing

/// Processes that were started without input or outputs, as some services are.
///
/// The data file got the number of a descriptor that was closed, and what the process printed, or the report of its
/// crash, was written over the first page. No test closed them: all run with a terminal or pipes.
struct StandardDescriptorTests {
  @Test(arguments: ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func `a process that prints without outputs writes nothing over its store`(closing: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-descriptors-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let store = folder.appending(path: "bank.store").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "\"$0\" print-beside-bank \"$1\" \(closing)", try HelperProcess.executable().path, store,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    try HelperProcess("read-store", store).expect("read")
    try HelperProcess("audit-bank", store, "1", "1", "2").expect("sound 2")
  }
}
