import { Command, Option } from 'commander';
import { loadConfig } from '../config.ts';
import { filePath } from '../redirect/files.ts';
import { sharePaths } from '../redirect/handler.ts';
import { listRoutes } from '../web/route-table.ts';
import { type Access, accesses, createRoutes } from '../web/routes.ts';
import { printResult } from './output.ts';

/** Handled by the scan lane, in front of the app. */
function laneRoutes() {
  const routes = createRoutes();
  for (const path of [...sharePaths, filePath]) routes.get('stranger', path, () => undefined);
  return routes.list;
}

export function routesCommand(): Command {
  return new Command('routes')
    .description('Print every route of the web process: who may use it, its methods and its path')
    .addOption(new Option('--access <access>', 'only these').choices(accesses))
    .action(({ access }: { access?: Access }) => {
      const all = [...laneRoutes(), ...listRoutes(loadConfig(process.env))];
      for (const route of all.filter((each) => access === undefined || each.access === access)) {
        const methods = route.methods.length > 2 ? 'any method' : route.methods.join(', ');
        printResult(`${route.access.padEnd(16)}${methods.padEnd(12)}${route.path}`);
      }
    });
}
