import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/dist/types.js';

/** What bull-board passes to a server adapter. */
export interface BoardParts {
  queues: BullBoardQueues;
  viewsFolder: string;
  filesFolder: string;
  entry: AppViewRoute;
  api: AppControllerRoute[];
  uiConfig: UIConfig;
}

/** Collects what bull-board passes to its server adapter, so that we can build our own router from it. */
export function collectBoardParts(create: (adapter: IServerAdapter) => void): BoardParts {
  const parts: Partial<BoardParts> = {};
  const keep = (more: Partial<BoardParts>) => {
    Object.assign(parts, more);
    return adapter;
  };
  const adapter: IServerAdapter = {
    setQueues: (queues) => keep({ queues }),
    setViewsPath: (viewsFolder) => keep({ viewsFolder }),
    setStaticPath: (_route, filesFolder) => keep({ filesFolder }),
    setEntryRoute: (entry) => keep({ entry }),
    // The app's own error handling is used instead.
    setErrorHandler: () => adapter,
    setApiRoutes: (api) => keep({ api }),
    setUIConfig: (uiConfig) => keep({ uiConfig }),
  };
  create(adapter);
  return parts as BoardParts;
}
