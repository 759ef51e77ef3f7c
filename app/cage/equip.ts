// A cage becomes that of a toolset: its packages and its files come in, and its folder comes first on the path.
import type { Cage } from "./cage";
import type { Equip } from "./protocol";
import { accepted, Refusal } from "./refusal";
import { bytesOf, filesOf } from "./spans";

export async function equip(cage: Cage, { files, wheels }: Equip, buffer: ArrayBuffer): Promise<void> {
  const { network, ours, python, toolset } = cage;
  if (network.open) throw new Refusal("this cage belongs to a toolset already");
  for (const [name, contents] of filesOf(wheels, buffer, bytesOf(files))) {
    const libraries: string[] = JSON.parse(accepted(ours.unpack_wheel(name, contents)));
    for (const path of libraries) await python._api.loadDynlib(path);
  }
  for (const [path, contents] of filesOf(files, buffer)) toolset.put(path, contents);
  ours.equip();
  network.open = true;
}
