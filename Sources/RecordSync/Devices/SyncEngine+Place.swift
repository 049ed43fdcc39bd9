public import Foundation
public import RecordStore

extension SyncEngine {
  /// Meets what `tandem sync DEVICE --folder FOLDER` makes of the device that has the store at this place.
  ///
  /// The family is the place's (see ``DeviceDirectory/Place/familyID``), and the files lie in `<group>/<name>.exchange`
  /// of the folder, so that stores of other places have folders of their own.
  public init(
    store: RecordStore, at place: DeviceDirectory.Place, sharedFolder: URL, options: SyncOptions = SyncOptions()
  ) {
    // One spelling, as a device directory has it, for the store notes which folders it has used.
    let shared = sharedFolder.standardizedFileURL.resolvingSymlinksInPath()
    var options = options
    options.storeID = place.familyID
    let folder = ExchangeFolder(
      root: place.exchange(in: shared), storeID: place.familyID, sharing: options.sharesFolder ? .everybody : .owner)
    self.init(store: store, folder: folder, sharedFolder: shared, options: options)
  }
}
