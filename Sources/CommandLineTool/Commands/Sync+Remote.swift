import Foundation
import RecordStore
import RecordSync

extension Sync {
  /// One device, with a place that rclone reaches.
  func run(_ remote: String) throws {
    // A mistake that shows from the beginning is one in the command.
    let url = URL(fileURLWithPath: devices[0], isDirectory: true)
    let device = create ? try DeviceDirectory(toBeMadeAt: url) : try DeviceDirectory(url)
    let transport = try RcloneTransport(remote)
    if dryRun { return try show(try plan(device, transport)) }
    try device.make()
    if watch {
      let sync = DeviceSync(options: try deviceOptions { _, _, _ in })
      return try follow { await sync.follow(device: device.url, transport: transport, $0, $1) }
    }
    if beginAnew { Console.standard.tell(sentence(on: try plan(device, transport), transport.name)) }
    let report = try synchronizeOnce(device, remote)
    try show(report)
    if report.stores.isEmpty { throw noStore([devices[0], transport.name]) }
    if !report.isComplete { throw SilentExit(.found) }
  }

  private func plan(_ device: DeviceDirectory, _ transport: RcloneTransport) throws -> DevicePlan {
    let sync = DeviceSync(options: try deviceOptions { _, _, _ in })
    let beginAnew = beginAnew
    return try cancellable { try await sync.plan(device, transport: transport, beginningAnew: beginAnew) }
  }

  private func synchronizeOnce(_ device: DeviceDirectory, _ remote: String) throws -> DeviceReport {
    let progress = SyncProgress()
    defer { progress.finish() }
    var rclone = RcloneTransport.Options()
    rclone.progress = { progress.show(moved: $0, of: $1) }
    let transport = try RcloneTransport(remote, options: rclone)
    let sync = DeviceSync(options: try deviceOptions { place, _, event in progress.show(event, of: place) })
    let beginAnew = beginAnew
    return try cancellable { try await sync.synchronize(device, transport: transport, beginningAnew: beginAnew) }
  }
}
